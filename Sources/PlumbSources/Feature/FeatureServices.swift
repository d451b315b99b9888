import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// Opens feature layers of services by their addresses. Without `FeatureServices`, GDAL opens
/// addresses.
public struct FeatureServices: Sendable {
  private let open: @Sendable (String) throws -> FeatureFile?

  /// - Parameter open: opens an address; returns nil if a string is not the address of a service's
  ///   layer.
  package init(_ open: @escaping @Sendable (String) throws -> FeatureFile?) { self.open = open }

  /// Returns all features of a layer.
  ///
  /// - Parameters:
  ///   - layer: the layer's name, which has to be nil, because an address identifies one layer.
  ///   - reference: the CRS of the coordinates, which overrides the service's CRS; nil for the service's CRS.
  /// - Returns: nil if `address` is not the address of a service's layer.
  func features(
    at address: String, layer: String? = nil, reference: SpatialReference? = nil
  ) throws -> FeatureFile? {
    guard let features = try open(address) else { return nil }
    guard layer == nil else {
      throw PlumbError(
        messageTemplate:
          "\(.layer) is for files with layers; \(address.printable) is a layer of a service",
        code: .badOption)
    }
    return reference.map { features.assuming($0) } ?? features
  }
}

extension FeatureFile {
  /// Opens a layer of a file, or of a service if `services` is given.
  package static func open(
    path: String, layer: String? = nil, reference: SpatialReference? = nil,
    access: GDALAccess? = nil, services: FeatureServices?
  ) throws -> FeatureFile {
    try services?.features(at: path, layer: layer, reference: reference)
      ?? FeatureFile(path: path, layer: layer, reference: reference, access: access)
  }
}
