import PlumbCore
import PlumbFormats

/// The names of the columns or properties of a feed. If a name is nil, the usual names are used,
/// regardless of case.
///
/// | | usual names |
/// |---|---|
/// | `id` | id, entity, device, device_id, vehicle, vehicle_id, track_id, tracker, unit, asset, imei, |
/// | | mmsi, icao24, else callsign; with or without `_`; if none exists, all rows are one unnamed entity |
/// | `time` | time, timestamp, datetime, date_time |
/// | `x`, `y` | x and y, lon and lat, longitude and latitude; degrees on WGS84 |
/// | `accuracy` | horizontal_accuracy, horizontalaccuracy, accuracy; metres |
/// | `verticalAccuracy` | vertical_accuracy, verticalaccuracy; metres |
/// | `speed` | speed; metres per second |
/// | `course` | course, bearing, heading; degrees |
public struct LocationColumns: Sendable, Hashable {
  /// The column that identifies entities.
  public var id: String?
  /// The column with the time of the report.
  public var time: String?
  /// The longitude, in degrees on WGS84.
  public var x: String?
  /// The latitude, in degrees on WGS84.
  public var y: String?
  /// The radius of the horizontal error, in metres.
  public var accuracy: String?
  /// The vertical error, in metres.
  public var verticalAccuracy: String?
  /// The speed, in metres per second.
  public var speed: String?
  /// The course, in degrees clockwise from north.
  public var course: String?

  /// Creates columns with the given names. The other columns are found by their usual names.
  public init(
    id: String? = nil, time: String? = nil, x: String? = nil, y: String? = nil,
    accuracy: String? = nil, verticalAccuracy: String? = nil, speed: String? = nil,
    course: String? = nil
  ) {
    self.id = id
    self.time = time
    self.x = x
    self.y = y
    self.accuracy = accuracy
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.course = course
  }

  package static let defaultTimes = ["time", "timestamp", "datetime", "date_time"]

  /// The names for each of the optional columns. The most likely name is first.
  package var measures: [(role: LocationRole, names: [String], isExplicit: Bool)] {
    func names(_ columnName: String?, _ usual: [String]) -> [String] {
      columnName.map { [$0] } ?? usual
    }
    return [
      (
        .horizontalAccuracy,
        names(accuracy, ["horizontal_accuracy", "horizontalaccuracy", "accuracy"]), accuracy != nil
      ),
      (
        .verticalAccuracy, names(verticalAccuracy, ["vertical_accuracy", "verticalaccuracy"]),
        verticalAccuracy != nil
      ),
      (.speed, names(speed, ["speed"]), speed != nil),
      (.course, names(course, ["course", "bearing", "heading"]), course != nil),
    ]
  }
}

/// The role of a column.
package enum LocationRole: Int, CaseIterable {
  case id, time, x, y, horizontalAccuracy, verticalAccuracy, speed, course
  /// A column that is used only as an attribute.
  case other

  /// The name of the role in messages.
  package var name: String {
    switch self {
    case .id: "id"
    case .time: "time"
    case .x: "x"
    case .y: "y"
    case .horizontalAccuracy: "horizontal accuracy"
    case .verticalAccuracy: "vertical accuracy"
    case .speed: "speed"
    case .course: "course"
    case .other: "column"
    }
  }
}

extension LocationColumns {
  /// Returns the role of each column of a header, and a note for the user on the chosen columns.
  ///
  /// - Parameters:
  ///   - hasPoints: whether the points are geometries instead of columns of coordinates.
  ///   - lists: the indices of columns of lists and of JSON, which have no times and no numbers.
  /// - Throws: when the header has no column of times or points, when several columns could have
  ///   the same role, or when a given column does not exist or contains lists instead of times or
  ///   numbers.
  package func roles(
    of names: [String], hasPoints: Bool = false, lists: Set<Int> = []
  ) throws(PlumbError) -> (roles: [LocationRole], note: String?) {
    var roles = [LocationRole](repeating: .other, count: names.count)
    // A column of lists gets an empty name, so that no usual name finds it.
    let plain = names.enumerated().map { lists.contains($0) ? "" : $1 }
    if !hasPoints { try assignPoints(&roles, x == nil && y == nil ? plain : names) }
    let given = self.time
    guard let time = try column(given, Self.defaultTimes, .time, in: given == nil ? plain : names)
    else {
      throw PlumbError(
        "no column of times: expected time or timestamp, but the columns are \(Self.list(names))",
        code: .notFound, remedies: ["name it with \(.time)"])
    }
    guard !lists.contains(time) else { throw Self.hasLists(names[time], .time) }
    try Self.assign(.time, to: time, &roles, names)
    let id =
      try self.id == nil
      ? Self.defaultID(in: names, roles) : column(self.id, [], .id, in: names)
    if let id { try Self.assign(.id, to: id, &roles, names) }
    for (role, usual, isExplicit) in measures {
      let found = usual.lazy.compactMap { name in
        names.indices.first {
          names[$0].lowercased() == name.lowercased() && (isExplicit || !lists.contains($0))
        }
      }.first
      if let found, lists.contains(found) { throw Self.hasLists(names[found], role) }
      if let found, roles[found] == .other {
        roles[found] = role
      } else if isExplicit {
        throw PlumbError(
          "no column \(usual[0].printable) for \(role.name); the columns are \(Self.list(names))")
      }
    }
    return (roles, self.id == nil ? Self.note(id, names, roles) : nil)
  }

  private static func hasLists(_ column: String, _ role: LocationRole) -> PlumbError {
    PlumbError("column \(column.printable) has lists or JSON, which cannot be used as \(role.name)")
  }

  private func assignPoints(
    _ roles: inout [LocationRole], _ names: [String]
  ) throws(PlumbError) {
    let points: PointColumns
    do {
      points = try PointColumns(names: names, x: x, y: y)
    } catch {
      throw PlumbError(error)
    }
    if x == nil, names[points.x].lowercased() == "easting" {
      throw PlumbError(
        "a feed's points are longitudes and latitudes in degrees, not eastings and northings")
    }
    roles[points.x] = .x
    roles[points.y] = .y
  }

  private static func assign(
    _ role: LocationRole, to index: Int, _ roles: inout [LocationRole], _ names: [String]
  ) throws(PlumbError) {
    guard roles[index] == .other else {
      throw PlumbError("the column \(names[index].printable) cannot also be used as \(role.name)")
    }
    roles[index] = role
  }

  private static func defaultID(
    in names: [String], _ roles: [LocationRole]
  ) throws(PlumbError) -> Int? {
    let candidates = names.indices.map {
      roles[$0] == .other ? EntityColumnNames.rank(of: names[$0].utf8) : nil
    }
    let choice = EntityColumnNames.choice(among: candidates)
    if let rival = choice.rival, let best = choice.best {
      throw PlumbError(
        messageTemplate:
          "several columns could hold the id (\(list([best, rival].sorted().map { names[$0] })))"
          + ": name one with \(.id)", code: .ambiguous)
    }
    return choice.best
  }

  /// Returns the note on the column that was chosen for the id.
  private static func note(_ id: Int?, _ names: [String], _ roles: [LocationRole]) -> String? {
    if let id {
      return EntityColumnNames.isExpected(names[id])
        ? nil
        : "the column \(names[id].printable) identifies the entities; another column can be specified"
    }
    let others = roles.indices.filter { roles[$0] == .other }.map { names[$0] }
    return others.isEmpty
      ? nil
      : "no column is known to identify entities, so all rows are one entity; the id column "
        + "can be specified (one of \(list(others)))"
  }

  private func column(
    _ columnName: String?, _ usual: [String], _ setting: Setting, in names: [String]
  ) throws(PlumbError) -> Int? {
    guard let columnName else {
      let found = names.indices.filter { usual.contains(names[$0].lowercased()) }
      guard found.count <= 1 else {
        throw PlumbError(
          messageTemplate: "several columns could hold the \(setting.rawValue) "
            + "(\(Self.list(found.map { names[$0] }))): name one with \(setting)", code: .ambiguous
        )
      }
      return found.first
    }
    let exact = names.indices.filter { names[$0] == columnName }
    let found =
      exact.isEmpty
      ? names.indices.filter { names[$0].lowercased() == columnName.lowercased() } : exact
    guard let first = found.first else {
      throw PlumbError(
        "no column is called \(columnName.printable); the columns are \(Self.list(names))")
    }
    guard found.count == 1 else {
      throw PlumbError("\(found.count) columns are called \(columnName.printable)")
    }
    return first
  }

  package static func list(_ names: [String]) -> String {
    let shown = names.prefix(12).map(\.printable).joined(separator: ", ")
    return names.count > 12 ? shown + ", …" : shown
  }
}
