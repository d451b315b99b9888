import PlumbCore
import PlumbIO

/// The columns that contain the points.
public struct PointColumns: Sendable, Hashable {
  /// The index of the column of easting or longitude, from 0.
  public var x: Int
  /// The index of the column of northing or latitude, from 0.
  public var y: Int
  /// Whether the column names are names of longitude and latitude.
  public var isGeographic: Bool
  /// Whether `x` and `y` are one column of WKT points.
  public var isWKT = false
  /// The SRID that WKT points with an SRID must have; nil to accept any SRID.
  public var srid: Int32?
  /// Whether a column was given by its number.
  public var isByNumber = false

  private typealias Pair = (x: [String], y: [String], isGeographic: Bool)

  /// Pairs of common names, x first, in lower case. A file that has two of these pairs is
  /// ambiguous.
  private static let usual: [Pair] = [
    (["x"], ["y"], false),
    (["lon", "lng", "long"], ["lat"], true),
    (["longitude"], ["latitude"], true),
    (["easting"], ["northing"], false),
  ]

  /// Pairs that are used if none of the pairs in `usual` is present. The first pair found is used.
  private static let others: [Pair] = [
    (["decimallongitude"], ["decimallatitude"], true),
    (["decimal_longitude"], ["decimal_latitude"], true),
    (["longitude_deg"], ["latitude_deg"], true),
    (["longitude_degrees"], ["latitude_degrees"], true),
    (["lon_deg", "long_deg"], ["lat_deg"], true),
    (["lon_dd", "long_dd", "londd", "longdd"], ["lat_dd", "latdd"], true),
    (["lon_wgs84", "long_wgs84", "longitude_wgs84"], ["lat_wgs84", "latitude_wgs84"], true),
    (["gps_lon", "gps_long", "gps_lng", "gps_longitude"], ["gps_lat", "gps_latitude"], true),
    (["location-long", "location_long"], ["location-lat", "location_lat"], true),
    (["longitud"], ["latitud"], true),
    (["point_x"], ["point_y"], false),
    (["eastings"], ["northings"], false),
    (["east"], ["north"], false),
    (["x_coord", "xcoord"], ["y_coord", "ycoord"], false),
    (["coord_x", "coordx"], ["coord_y", "coordy"], false),
    (["x_coordinate"], ["y_coordinate"], false),
    (["utm_e", "utm_x", "utm_easting"], ["utm_n", "utm_y", "utm_northing"], false),
  ]

  /// Pairs for columns and rows of cells. The first pair found is used.
  private static let cells: [Pair] = [
    (["column", "col"], ["row"], false), (["pixel"], ["line"], false), (["x"], ["y"], false),
  ]

  /// Columns of well-known text, which are used if no pair is present.
  private static let texts = ["wkt", "geometry", "geom", "the_geom"]

  /// Finds the columns by common names, or by names or numbers from the user. Numbers start at 1.
  ///
  /// - Parameters:
  ///   - names: the header's names.
  ///   - x: a name or a number; nil for the common names.
  ///   - y: a name or a number; nil for the common names.
  ///   - allowsWKT: whether a single column of WKT points is accepted.
  ///   - takesCells: whether x and y are columns and rows of cells.
  public init(
    names: [String], x: String?, y: String?, allowsWKT: Bool = false, takesCells: Bool = false
  ) throws(FormatError) {
    if x != nil || y != nil {
      guard let x, let y else {
        throw FormatError(
          messageTemplate: "\(.xColumn) and \(.yColumn) belong together: name both columns",
          code: .badOption)
      }
      let (first, second) = (try Self.find(x, in: names), try Self.find(y, in: names))
      guard first.index != second.index else {
        throw FormatError(
          messageTemplate: "\(.xColumn) and \(.yColumn) name the same column \(x.printable)",
          code: .badOption)
      }
      let (xName, yName) = (names[first.index].lowercased(), names[second.index].lowercased())
      let isGeographic = (Self.usual + Self.others).contains { pair in
        pair.isGeographic && pair.x.contains(xName) && pair.y.contains(yName)
      }
      self.init(x: first.index, y: second.index, isGeographic: isGeographic)
      isByNumber = first.isNumber || second.isNumber
      return
    }
    let lower = names.map { $0.lowercased() }
    if takesCells {
      guard let pair = Self.pairs(Self.cells, lower).first else {
        throw FormatError(
          "no columns of cells: expected column and row, but the columns are \(Self.list(names))",
          code: .notFound, remedies: ["name them with \(.xColumn) and \(.yColumn)"])
      }
      self = pair
      return
    }
    let found = Self.pairs(Self.usual, lower)
    guard found.count < 2 else {
      throw FormatError(
        messageTemplate:
          "several columns could hold the points (\(Self.list(names))): specify them with "
          + "\(.xColumn) and \(.yColumn)", code: .ambiguous)
    }
    if let pair = found.first ?? Self.pairs(Self.others, lower).first {
      self = pair
    } else if allowsWKT,
      let column = Self.texts.lazy.compactMap({ lower.firstIndex(of: $0) }).first
    {
      self.init(x: column, y: column, isGeographic: false)
      isWKT = true
    } else {
      throw FormatError(
        "no coordinate columns: expected x and y, lon and lat, longitude and latitude, or easting "
          + "and northing\(allowsWKT ? ", or points in a column wkt or geometry" : ""), but the "
          + "columns are \(Self.list(names))", code: .notFound,
        remedies: ["name them with \(.xColumn) and \(.yColumn), or number them from 1"])
    }
  }

  /// The error for column names that are given with GeoJSON input.
  package static var notOfGeoJSON: PlumbError {
    PlumbError(
      messageTemplate:
        "\(.xColumn) and \(.yColumn) name columns; GeoJSON's points are its geometries",
      code: .badOption)
  }

  package init(x: Int, y: Int, isGeographic: Bool) {
    self.x = x
    self.y = y
    self.isGeographic = isGeographic
  }

  private static func pairs(_ known: [Pair], _ lower: [String]) -> [PointColumns] {
    var found: [PointColumns] = []
    for pair in known {
      for x in lower.indices where pair.x.contains(lower[x]) {
        for y in lower.indices where pair.y.contains(lower[y]) {
          found.append(PointColumns(x: x, y: y, isGeographic: pair.isGeographic))
        }
      }
    }
    return found
  }

  private static func find(
    _ name: String, in names: [String]
  ) throws(FormatError) -> (index: Int, isNumber: Bool) {
    let exact = names.indices.filter { names[$0] == name }
    let matches =
      exact.isEmpty ? names.indices.filter { names[$0].lowercased() == name.lowercased() } : exact
    guard let first = matches.first else {
      if let number = Int(name) {
        guard (1...max(1, names.count)).contains(number), !names.isEmpty else {
          throw FormatError(
            "there is no column \(number): the columns are numbered 1 to \(names.count)")
        }
        return (number - 1, true)
      }
      throw FormatError(
        "no column is called \(name.printable); the columns are \(list(names))")
    }
    guard matches.count == 1 else {
      throw FormatError("\(matches.count) columns are called \(name.printable)")
    }
    return (first, false)
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(12).map { name in
      name.utf8.count > 60 ? String(name.prefix(40)).printable + "…" : name.printable
    }.joined(separator: ", ")
    return names.count > 12 ? shown + ", …" : shown
  }
}
