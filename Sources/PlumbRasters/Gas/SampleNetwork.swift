import Foundation
import PlumbGDAL

/// The sample gas network: its features, its associations, and the document that joins them.
struct SampleNetwork {
  let seed: UInt64

  /// Writes all of its files into a folder.
  func write(to folder: String) throws {
    let network = GasTown(seed: seed).network
    try write(network.devices, "gas_devices", folder)
    try write(network.junctions, "gas_junctions", folder)
    try write(network.pipes, "gas_pipes", folder)
    try write(network.assemblies, "gas_assemblies", folder)
    try write(network.structures, "gas_structures", folder)
    let rows = [GasAssociation.header] + network.associations.map(\.row)
    try write(rows.joined(separator: "\n") + "\n", "\(folder)/gas_associations.csv")
    try write(Self.document, "\(folder)/gas.json")
    try write(Self.services, "\(folder)/gas_services.json")
  }

  private func write(_ features: [MapFeature], _ name: String, _ folder: String) throws {
    try write(MapFeature.collection(name, features), "\(folder)/\(name).geojson")
  }

  private func write(_ text: String, _ path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw GDALError("cannot write \(path): \(error.localizedDescription)")
    }
    report(path)
  }
}
