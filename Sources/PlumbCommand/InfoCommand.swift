import ArgumentParser
import Plumb

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells what rasters and maps are: bands, tiles, layers, references.")

  @Argument(help: "Rasters (a file, a folder of tiles, or a quoted pattern) and map documents.")
  var paths: [String]

  @Option(help: "text, or json: an object a line.")
  var format: PrintFormat = .text

  @Flag(help: "Let a map name files outside its folder, and on a network.")
  var allowOutside = false

  func validate() throws {
    if format == .tree { throw ValidationError("--format takes text or json") }
  }

  func run() throws {
    try Console.run {
      for (index, path) in paths.enumerated() {
        let (text, json) = try Self.facts(path, allowOutside ? .anywhere : .folder)
        switch format {
        case .json: try StandardOutput.write(json())
        case .text, .tree: try StandardOutput.write((index > 0 ? "\n" : "") + text())
        }
      }
      for line in GDALMessages.take() { Console().warn(line) }
    }
  }

  private static func facts(
    _ path: String, _ access: DocumentAccess
  ) throws -> (text: () -> String, json: () -> String) {
    if Map.isDocument(path: path) {
      let info = MapInfo(try Map.open(path: path, access: access), path: path)
      return ({ info.text }, { info.json })
    }
    let info = try RasterInfo(path)
    return ({ info.text }, { info.json })
  }
}
