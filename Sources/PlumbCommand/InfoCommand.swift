import ArgumentParser
import Plumb
import PlumbSandbox

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: """
      Says what rasters, maps, networks, features and feeds are: bands, layers, sources, references.
      """,
    discussion: """
      plumb info rasters/dem
      plumb info rasters/cape.json rasters/gas.json
      plumb info rasters/walk.csv rasters/walk.esri.json --of json
      """)

  @Argument(
    help: """
      Rasters (a file, a folder of tiles, or a quoted pattern), map documents, networks, files of \
      features or points (as .gz too), lines to simulate, and recordings of NMEA sentences or of \
      gpsd.
      """
  )
  var paths: [String]

  @OptionGroup(title: "Input") var text: EncodingArguments

  @OptionGroup(title: "Output") var writing: FactArguments

  @OptionGroup(title: "Run") var walls: DocumentAccessArguments

  func run() throws {
    let documents = paths.filter { Self.isDocument($0) }
    let run = RunWalls(
      documents: documents, inputs: paths.filter { !documents.contains($0) },
      allowsOutside: walls.allowOutside,
      reachesHosts: walls.reachesHosts)
    try Console.run(within: run) {
      try text.apply()
      for (number, path) in paths.enumerated() {
        if writing.index {
          let written = try Raster.writeIndex(ofFolder: path, access: walls.access)
          Console().note("\(written.printable) written")
        }
        let (text, json) = try Self.facts(path, walls.access, walls.signIn)
        switch writing.format {
        case .json: try StandardOutput.write(json())
        case .text: try StandardOutput.write((number > 0 ? "\n" : "") + text())
        }
        for line in GDALMessages.take() { Console().warn(line) }
      }
    }
  }

  private static func isDocument(_ path: String) -> Bool {
    Map.isDocument(path: path) || (try? OpenedNetwork.form(of: path)) != nil
  }

  private static func facts(
    _ path: String, _ access: DocumentAccess, _ signIn: SignIn?
  ) throws -> (text: () -> String, json: () -> String) {
    if Map.isDocument(path: path) {
      let map = try Map.open(path: path, access: access, signIn: signIn)
      for line in map.notes { Console().note(line) }
      let info = MapInfo(map, path: path, names: Setting.flags)
      return ({ info.text }, { info.json })
    }
    // What is not a network may still be a raster, or fail as one.
    if (try? OpenedNetwork.form(of: path)) != nil {
      let info = try NetworkInfo(
        try OpenedNetwork.open(path: path, access: access, signIn: signIn), names: SourceUse.verbs)
      return ({ info.text }, { info.json })
    }
    do {
      let info = try RasterInfo(path, access: access)
      return ({ info.text }, { info.json })
    } catch {
      // What a driver of rasters says of a file that is for none of them.
      _ = GDALMessages.take()
      // What is not a raster may hold features, or a receiver's sentences.
      if let info = try VectorInfo(path, access: access, names: SourceUse.verbs) {
        return ({ info.text }, { info.json })
      }
      guard let info = FeedInfo(path, names: SourceUse.verbs) else {
        throw Map.documentFault(path: path).map { PlumbError($0) } ?? error
      }
      return ({ info.text }, { info.json })
    }
  }
}

/// How facts are written.
struct FactArguments: ParsableArguments {
  @Option(
    name: [.customLong("of"), .customLong("format")], help: "text, or json: an object a line.")
  var format: FactFormat = .text

  @Flag(
    help: """
      Keep an index of each folder of tiles, as .plumb-index.json in it, so that later runs open only \
      the tiles that points lie on. Tiles that change afterwards are opened as before.
      """
  )
  var index = false
}

enum FactFormat: String, WordArgument { case text, json }
