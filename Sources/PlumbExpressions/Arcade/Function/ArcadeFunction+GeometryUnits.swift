import PlumbCore

/// A unit of lengths and areas, with the names and codes of Esri's documentation.
struct ArcadeUnit {
  /// Metres per unit; nil for a unit of area only.
  let metres: Double?
  /// Square metres per unit of area.
  let squareMetres: Double
  let name: String

  /// - Parameter value: a name such as `kilometers`, `square-feet` or `ha`, regardless of case, or a code
  ///   such as 9001. Names of lengths can be used for areas and vice versa, except acres and hectares.
  init(_ value: ArcadeValue) throws(ArcadeFailure) {
    switch value {
    case .number(let number):
      guard let code = Int(exactly: number), let unit = Self.codes[code] else {
        throw ArcadeFailure("\(number) is not the code of a unit; use a name such as 'meters'")
      }
      self = unit
    case .text(let text):
      guard let unit = text.utf8.count <= 64 ? Self.names[Self.plain(text)] : nil else {
        let shown = String(text.prefix(80)).printable
        throw ArcadeFailure(
          "\"\(shown)\" is not a unit; units are meters, kilometers, feet, yards, "
            + "miles, nautical-miles, and acres and hectares for areas")
      }
      self = unit
    default: throw ArcadeFailure("a unit must be text or a number, not \(value.typeName)")
    }
  }

  private init(_ name: String, metres: Double) {
    self.name = name
    self.metres = metres
    squareMetres = metres * metres
  }

  private init(_ name: String, squareMetres: Double) {
    self.name = name
    metres = nil
    self.squareMetres = squareMetres
  }

  /// - Throws: for a unit of area only.
  func length() throws(ArcadeFailure) -> Double {
    guard let metres else { throw ArcadeFailure("\(name) measure areas, not lengths") }
    return metres
  }

  private static func plain(_ text: String) -> String {
    var plain = text.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    if plain.hasPrefix("square") { plain.removeFirst(6) }
    return plain
  }

  private static let usSurveyFoot = 1200.0 / 3937

  private static let names: [String: ArcadeUnit] = {
    var names: [String: ArcadeUnit] = [:]
    func add(_ unit: ArcadeUnit, _ words: String...) {
      names[unit.name.filter { $0 != "-" }] = unit
      for word in words { names[word] = unit }
    }
    add(ArcadeUnit("millimeters", metres: 0.001), "millimeter", "millimetres", "millimetre", "mm")
    add(ArcadeUnit("centimeters", metres: 0.01), "centimeter", "centimetres", "centimetre", "cm")
    add(ArcadeUnit("decimeters", metres: 0.1), "decimeter", "decimetres", "decimetre", "dm")
    add(ArcadeUnit("meters", metres: 1), "meter", "metres", "metre", "m")
    add(ArcadeUnit("kilometers", metres: 1000), "kilometer", "kilometres", "kilometre", "km")
    add(ArcadeUnit("inches", metres: 0.0254), "inch", "in")
    add(ArcadeUnit("feet", metres: 0.3048), "foot", "ft")
    add(ArcadeUnit("us-feet", metres: usSurveyFoot), "usfoot", "feetus", "footus")
    add(ArcadeUnit("yards", metres: 0.9144), "yard", "yd")
    add(ArcadeUnit("miles", metres: 1609.344), "mile", "mi")
    add(ArcadeUnit("nautical-miles", metres: 1852), "nauticalmile", "nmi")
    add(ArcadeUnit("acres", squareMetres: 4046.8564224), "acre", "ac")
    add(ArcadeUnit("ares", squareMetres: 100), "are")
    add(ArcadeUnit("hectares", squareMetres: 10_000), "hectare", "ha")
    return names
  }()

  /// EPSG codes of units of length, and Esri's codes of units of area.
  private static let codes: [Int: ArcadeUnit] = {
    let words = [
      9001: "meters", 9002: "feet", 9003: "usfeet", 9030: "nauticalmiles", 9036: "kilometers",
      9093: "miles", 9096: "yards", 1025: "millimeters", 1033: "centimeters",
      109_008: "inches", 109_005: "decimeters", 109_006: "centimeters", 109_007: "millimeters",
      109_401: "hectares", 109_402: "acres", 109_404: "meters", 109_405: "feet",
      109_406: "usfeet", 109_414: "kilometers", 109_439: "miles", 109_442: "yards",
      109_450: "decimeters", 109_451: "centimeters", 109_452: "millimeters", 109_453: "inches",
      109_463: "ares",
    ]
    var codes = words.compactMapValues { names[$0] }
    // US survey mile.
    codes[9035] = ArcadeUnit("us-miles", metres: 5280 * usSurveyFoot)
    codes[109_413] = codes[9035]
    return codes
  }()
}

extension ArcadeArguments {
  /// The unit at a position; nil if the argument is missing or null.
  func unit(_ position: Int) throws(ArcadeFailure) -> ArcadeUnit? {
    if case .null = self[position] { return nil }
    return try ArcadeUnit(self[position])
  }

  /// The number of metres per unit of a planar CRS, for measures in another unit.
  ///
  /// - Parameter instead: the geodetic function to suggest.
  func metresOfUnit(
    _ reference: SpatialReference?, _ unit: ArcadeUnit, instead: String
  ) throws(ArcadeFailure) -> Double {
    guard let reference else {
      throw ArcadeFailure("\(unit.name) need a geometry with a spatial reference")
    }
    guard !reference.isGeographic else {
      throw ArcadeFailure(
        "planar measures in \(reference.label) are in degrees, not in \(unit.name); "
          + "use \(instead)")
    }
    return reference.unit.factor
  }

  /// The length that is the argument at a position, converted from an optional unit at another
  /// position to the unit of the CRS.
  ///
  /// - Parameter what: the name of the length in messages.
  func planarLength(
    _ position: Int, unit unitPosition: Int, _ reference: SpatialReference?, _ what: String,
    instead: String
  ) throws(ArcadeFailure) -> Double {
    let length = try number(position, what)
    guard let unit = try unit(unitPosition) else { return length }
    let metres = try unit.length()
    return try length * metres / metresOfUnit(reference, unit, instead: instead)
  }

  /// The length that is the argument at a position, converted to metres.
  func metres(
    _ position: Int, unit unitPosition: Int, _ what: String
  ) throws(ArcadeFailure) -> Double {
    try number(position, what) * (unit(unitPosition)?.length() ?? 1)
  }
}
