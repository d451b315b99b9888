import Plumb
import PlumbGeometry
import Synchronization

/// A reference as OGC's clients name it: by an address, which also says the order of coordinates.
struct OGCReference: Sendable {
  var address: String
  var reference: SpatialReference
  /// Whether northing or latitude comes first in coordinates.
  var isYFirst: Bool

  /// Longitude and latitude on WGS 84: what requests and replies are in that name no other.
  static let crs84 = OGCReference(
    address: "http://www.opengis.net/def/crs/OGC/1.3/CRS84", reference: .wgs84, isYFirst: false)
  private static let register = "http://www.opengis.net/def/crs/EPSG/0/"

  /// One of EPSG's register; nil for one that is not in it.
  init?(_ reference: SpatialReference) {
    guard let own = OGCReferences.shared.reference(reference, { Self(registered: reference) })
    else { return nil }
    self = own
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

  /// The same in short, as some clients write it: `CRS84` or `EPSG:3857`.
  var shortName: String {
    address == Self.crs84.address
      ? "CRS84" : "EPSG:" + address.dropFirst(Self.register.count)
  }

  /// The references that a collection has, the one of its coordinates last where it is another.
  static func all(storage: SpatialReference?) -> [OGCReference] {
    var list = [crs84]
    let known = [SpatialReference.wgs84, try? SpatialReference("EPSG:3857")]
    for reference in known.compactMap({ $0 }) + [storage].compactMap({ $0 }) {
      guard let own = OGCReference(reference), !list.contains(where: { $0.address == own.address })
      else { continue }
      list.append(own)
    }
    return list
  }

  /// The address of what a collection's coordinates are in; nil for a reference without one.
  static func storageAddress(_ reference: SpatialReference?) -> String? {
    guard let reference else { return nil }
    // As the file has it, longitude comes first.
    return reference == .wgs84 ? crs84.address : OGCReference(reference)?.address
  }

  /// One of a list by its address, or by its short name where that is taken.
  static func named(
    _ text: String, _ name: String, among list: [OGCReference], takesShort: Bool = false
  ) throws(ServiceError) -> OGCReference {
    let wanted = text.hasPrefix("https:") ? "http:" + text.dropFirst(6) : text
    if let found = list.first(where: { $0.address == wanted }) { return found }
    if takesShort, let found = list.first(where: { $0.shortName == wanted.uppercased() }) {
      return found
    }
    throw ServiceError(
      "'\(name)': \(text.shown) is none of the collection's references: "
        + list.map(\.address).joined(separator: ", "))
  }

  /// A shape in the order of the reference, from x before y, and back.
  func ordered(_ geometry: Geometry) -> Geometry {
    isYFirst ? geometry.mapped { SIMD2($0.y, $0.x) } : geometry
  }
}

extension OGCReference {
  /// The definition as WKT; empty where there is none.
  var wkt: String {
    // Longitude comes first in it.
    let own =
      address == Self.crs84.address ? (try? SpatialReference("OGC:CRS84")) ?? reference : reference
    return own.identity(withWKT: true).wkt ?? ""
  }
}

/// References by what OGC calls them, as far as they were asked: PROJ takes a while for those that are WKT.
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
