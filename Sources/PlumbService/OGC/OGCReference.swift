import Plumb
import PlumbGeometry
import Synchronization

/// A CRS as identified by OGC clients. They use a URI, which also determines the axis order.
struct OGCReference: Sendable {
  var address: String
  var reference: SpatialReference
  /// Whether northing or latitude is the first coordinate.
  var isYFirst: Bool

  /// Longitude and latitude on WGS 84, the default CRS of requests and replies.
  static let crs84 = OGCReference(
    address: "http://www.opengis.net/def/crs/OGC/1.3/CRS84", reference: .wgs84, isYFirst: false)
  private static let register = "http://www.opengis.net/def/crs/EPSG/0/"

  /// Creates an instance for an EPSG CRS; nil for other CRSs.
  init?(_ reference: SpatialReference) {
    guard let found = OGCReferences.shared.reference(reference, { Self(registered: reference) })
    else { return nil }
    self = found
  }

  private init?(registered reference: SpatialReference) {
    let identity = reference.identity(withWKT: false)
    guard identity.authority == "EPSG", let code = identity.code,
      !reference.definition.hasPrefix("BOUNDCRS")
    else { return nil }
    self.init(
      address: Self.register + code, reference: reference, isYFirst: reference.isNorthingFirst)
  }

  private init(address: String, reference: SpatialReference, isYFirst: Bool) {
    (self.address, self.reference, self.isYFirst) = (address, reference, isYFirst)
  }

  /// The short name that some clients use, such as `CRS84` or `EPSG:3857`.
  var shortName: String {
    address == Self.crs84.address
      ? "CRS84" : "EPSG:" + address.dropFirst(Self.register.count)
  }

  /// Returns the CRSs of a collection. The storage CRS is added as the last CRS unless the list
  /// already contains it.
  static func all(storage: SpatialReference?) -> [OGCReference] {
    var list = [crs84]
    let known = [SpatialReference.wgs84, try? SpatialReference("EPSG:3857")]
    for reference in known.compactMap({ $0 }) + [storage].compactMap({ $0 }) {
      guard let crs = OGCReference(reference), !list.contains(where: { $0.address == crs.address })
      else { continue }
      list.append(crs)
    }
    return list
  }

  /// Returns the URI of a collection's storage CRS; nil for a CRS without a URI.
  static func storageAddress(_ reference: SpatialReference?) -> String? {
    guard let reference else { return nil }
    // The coordinates in the file have longitude first, as in CRS84.
    return reference == .wgs84 ? crs84.address : OGCReference(reference)?.address
  }

  /// Returns the CRS in a list with a URI or, if short names are accepted, with a short name.
  static func named(
    _ text: String, _ name: String, among list: [OGCReference], allowsShortName: Bool = false
  ) throws(ServiceError) -> OGCReference {
    let address = text.hasPrefix("https:") ? "http:" + text.dropFirst(6) : text
    if let found = list.first(where: { $0.address == address }) { return found }
    if allowsShortName, let found = list.first(where: { $0.shortName == address.uppercased() }) {
      return found
    }
    throw ServiceError(
      "'\(name)': \(text.shown) is not one of the collection's CRSs: "
        + list.map(\.address).joined(separator: ", "))
  }

  /// Converts a shape from the order x,y to the axis order of the CRS, or back.
  func ordered(_ geometry: Geometry) -> Geometry {
    isYFirst ? geometry.mapped { SIMD2($0.y, $0.x) } : geometry
  }
}

extension OGCReference {
  /// The definition of the CRS as WKT; empty if unavailable.
  var wkt: String {
    // For CRS84, the definition with longitude as the first axis is used.
    let definition =
      address == Self.crs84.address ? (try? SpatialReference("OGC:CRS84")) ?? reference : reference
    return definition.identity(withWKT: true).wkt ?? ""
  }
}

/// A cache of instances by CRS, because PROJ is slow to identify WKT definitions.
private final class OGCReferences: Sendable {
  static let shared = OGCReferences()

  private let known = Mutex<[SpatialReference: OGCReference?]>([:])
  private static let limit = 256

  func reference(
    _ reference: SpatialReference, _ make: () -> OGCReference?
  ) -> OGCReference? {
    if let known = known.withLock({ $0[reference] }) { return known }
    let made = make()
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[reference] = .some(made)
    }
    return made
  }
}
