import ArgumentParser
import Plumb

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tells what rasters are: size, bands, reference, tiles, and how they are read.")

  @Argument(help: "Rasters: a file, a folder of tiles, or a quoted pattern.")
  var paths: [String]

  @Option(help: "text, or json: an object a line.")
  var format: PrintFormat = .text

  func run() throws {
    try Console.run {
      for (index, path) in paths.enumerated() {
        let info = try RasterInfo(path)
        switch format {
        case .json: try StandardOutput.write(info.json)
        case .text: try StandardOutput.write((index > 0 ? "\n" : "") + info.text)
        }
      }
      for line in GDALMessages.take() { Console().warn(line) }
    }
  }
}
