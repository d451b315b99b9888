import Foundation
import PlumbGDAL

/// The sample gas network: its features, its associations, and the document that refers to them.
struct SampleNetwork {
  let seed: UInt64

  /// Writes its files into a folder.
  func write(to folder: String) throws {
    let network = GasTown(seed: seed).network
    try MapFeature.write(network.devices, "gas_devices", to: folder)
    try MapFeature.write(network.junctions, "gas_junctions", to: folder)
    try MapFeature.write(network.pipes, "gas_pipes", to: folder)
    try MapFeature.write(network.assemblies, "gas_assemblies", to: folder)
    try MapFeature.write(network.structures, "gas_structures", to: folder)
    let rows = [GasAssociation.header] + network.associations.map(\.row)
    try writeText(rows.joined(separator: "\n") + "\n", to: "\(folder)/gas_associations.csv")
    try writeText(Self.document, to: "\(folder)/gas.json")
    try writeText(Self.services, to: "\(folder)/gas_services.json")
  }
}
