import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// Opens the features of services' layers, which a user or a document names by their addresses; without
/// it an address is GDAL's to open.
public struct FeatureServices: Sendable {
  private let open: @Sendable (String) throws -> FeatureFile?

  /// - Parameter open: nil for what is no address of a service's layer.
  package init(_ open: @escaping @Sendable (String) throws -> FeatureFile?) { self.open = open }

  /// The features of a layer, all of them.
  ///
  /// - Parameters:
  ///   - layer: has to be nil: an address names one layer.
  ///   - reference: what the coordinates are in, whatever the service says; nil believes it.
  /// - Returns: nil for what is no address of a service's layer.
  func features(
    at address: String, layer: String? = nil, reference: SpatialReference? = nil
  ) throws -> FeatureFile? {
    guard let features = try open(address) else { return nil }
    guard layer == nil else {
      throw PlumbError(
        wording: "\(.layer) is for files with layers; \(address.printable) names one of a service",
        code: .badOption)
    }
    return reference.map { features.assuming($0) } ?? features
  }
}

extension FeatureFile {
  /// Opens a layer of a file, or of a service where there is what asks one.
  package static func open(
    path: String, layer: String? = nil, reference: SpatialReference? = nil,
    access: GDALAccess? = nil, services: FeatureServices?
  ) throws -> FeatureFile {
    try services?.features(at: path, layer: layer, reference: reference)
      ?? FeatureFile(path: path, layer: layer, reference: reference, access: access)
  }
}
