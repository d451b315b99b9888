/// A coordinate reference system. x is always easting or longitude and y northing or latitude.
///
/// `SpatialReference("EPSG:32734")`, in PlumbGeometry, parses a definition with PROJ. Two values
/// are equal if their definitions are the same string.
public struct SpatialReference: Sendable, Hashable {
  /// A unit of coordinates.
  public struct Unit: Sendable, Hashable {
    /// For example `metre`, `US survey foot`, `degree`.
    public var name: String
    /// Metres in one unit, or radians in one unit of a geographic CRS.
    public var factor: Double

    /// A unit of length in metres, or of angle in radians.
    public init(name: String, factor: Double) {
      self.name = name
      self.factor = factor
    }

    /// The metre.
    public static let metre = Unit(name: "metre", factor: 1)
    /// The degree, π / 180 radians.
    public static let degree = Unit(name: "degree", factor: .pi / 180)
  }

  /// The ellipsoid of a CRS.
  public struct Ellipsoid: Sendable, Hashable {
    /// Equatorial radius in metres.
    public var semiMajorAxis: Double
    /// (a − b) / a; 0 for a sphere.
    public var flattening: Double

    /// An ellipsoid of revolution; a flattening of 0 is a sphere.
    public init(semiMajorAxis: Double, flattening: Double) {
      self.semiMajorAxis = semiMajorAxis
      self.flattening = flattening
    }

    /// The WGS 84 ellipsoid: 6,378,137 m and 1 / 298.257223563.
    public static let wgs84 = Ellipsoid(
      semiMajorAxis: 6_378_137, flattening: 1 / 298.257_223_563)
  }

  /// The properties that PROJ derives from a definition.
  package struct Facts: Sendable {
    package var definition: String
    package var label: String
    package var isGeographic: Bool
    package var isGeoreferenced: Bool
    package var unit: Unit
    package var ellipsoid: Ellipsoid?

    package init(
      definition: String, label: String, isGeographic: Bool, isGeoreferenced: Bool, unit: Unit,
      ellipsoid: Ellipsoid?
    ) {
      self.definition = definition
      self.label = label
      self.isGeographic = isGeographic
      self.isGeoreferenced = isGeoreferenced
      self.unit = unit
      self.ellipsoid = ellipsoid
    }
  }

  /// Stores the facts in an object, so that `SpatialReference`, which every geometry contains, is
  /// one word in size.
  private final class Storage: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let storage: Storage

  package init(_ facts: Facts) { storage = Storage(facts) }

  /// The definition for PROJ: `AUTHORITY:CODE`, WKT or a PROJ string.
  public var definition: String { storage.facts.definition }
  /// The name in messages: the code if there is one, otherwise the name.
  public var label: String { storage.facts.label }
  /// Whether coordinates are longitude and latitude.
  public var isGeographic: Bool { storage.facts.isGeographic }
  /// Whether the CRS is tied to the Earth; a local (engineering) CRS cannot be transformed.
  public var isGeoreferenced: Bool { storage.facts.isGeoreferenced }
  /// The unit of x and y.
  public var unit: Unit { storage.facts.unit }
  /// The ellipsoid; nil for a CRS that is not tied to the Earth.
  public var ellipsoid: Ellipsoid? { storage.facts.ellipsoid }

  /// EPSG:4326, x longitude and y latitude in degrees; does not need PROJ.
  public static let wgs84 = SpatialReference(
    Facts(
      definition: "EPSG:4326", label: "EPSG:4326", isGeographic: true, isGeoreferenced: true,
      unit: .degree, ellipsoid: .wgs84))

  public static func == (a: SpatialReference, b: SpatialReference) -> Bool {
    a.storage === b.storage || a.definition == b.definition
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(definition) }
}
