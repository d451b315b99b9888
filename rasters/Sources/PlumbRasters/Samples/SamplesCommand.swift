import ArgumentParser
import Foundation
import PlumbGDAL

struct SamplesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Writes the small samples of one synthetic Cape.")

  /// The samples to write.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    case all, rasters, map, network, walk
  }

  @Option(help: "The output folder.")
  var output = "rasters"

  @Option(help: "The seed of the synthetic world.")
  var seed: UInt64 = 1

  @Option(help: "The samples to write: all, the rasters, the map, the gas network or the walk.")
  var part = Part.all

  func run() throws {
    let world = World(seed: seed)
    try makeFolder("\(output)/dem")
    if part == .all || part == .rasters { try writeRasters(of: world) }
    if part == .all || part == .map { try SampleMap(world: world, seed: seed).write(to: output) }
    if part == .all || part == .network { try SampleNetwork(seed: seed).write(to: output) }
    if part == .all || part == .walk { try SampleWalk(seed: seed).write(to: output) }
  }

  private func writeRasters(of world: World) throws {
    let samples = Samples(world: world, seed: seed)
    try samples.writeVegetationIndex("\(output)/evi_cape_town.tif")
    try samples.writeWebMercatorIndex("\(output)/ndvi_cape_town_3857.tif")
    for south in [34, 35] {
      for east in [18, 19] {
        try samples.writeElevation(
          "\(output)/dem/S\(south)E0\(east).tif", west: east, south: -south)
      }
    }
    try samples.writeLandCover("\(output)/land_cover_cape_town.tif")
  }
}

/// Creates a folder and its parents.
func makeFolder(_ path: String) throws {
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch {
    throw GDALError("cannot create the folder \(path): \(error.localizedDescription)")
  }
}

/// Writes text to a file, and prints its path.
func writeText(_ text: String, to path: String) throws {
  do {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  } catch {
    throw GDALError("cannot write \(path): \(error.localizedDescription)")
  }
  report(path)
}

/// Prints the path of a finished file and its size.
func report(_ path: String) {
  let attributes = try? FileManager.default.attributesOfItem(atPath: path)
  let bytes = (attributes?[.size] as? NSNumber)?.intValue ?? 0
  print("\(path)  \((bytes + 999) / 1000) kB")
}
