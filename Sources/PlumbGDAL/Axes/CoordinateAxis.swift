import PlumbRaster

/// The coordinates along one dimension of an array, from the file's coordinate variable.
struct CoordinateAxis {
  /// The kind of coordinates according to the CF conventions.
  enum Kind {
    case x, y, longitude, latitude, time, vertical, unknown

    var isAcross: Bool { self == .x || self == .longitude }
    var isUpward: Bool { self == .y || self == .latitude }
  }

  var kind: Kind
  /// Whether the coordinates are geographic longitudes or latitudes in degrees.
  var isInDegrees: Bool
  /// Whether the coordinates are eastings or northings in kilometres.
  private(set) var isInKilometres = false
  /// The variable's name in the file.
  var name: String
  /// The coordinates in the order of the file.
  var values: [Double]
  /// The edges of each cell, if the file has them.
  var bounds: [(Double, Double)]?
  /// The maximum relative rounding error of a value.
  var rounding: Double
  /// The maximum relative rounding error of an edge.
  private var boundsRounding = 0x1p-52

  /// The maximum number of values. A longer axis is not read.
  static let maximumSize = 1 << 22

  /// - Returns: nil if the variable does not have one number for each index of the dimension.
  init?(_ dimension: ArrayDimension, of file: ArrayFile) {
    guard let variable = dimension.variable, variable.dimensions.count == 1,
      variable.dimensions[0].size == dimension.size, dimension.size <= Self.maximumSize
    else { return nil }
    self.init(variable, of: file)
  }

  /// - Returns: nil if the variable does not have exactly one number.
  init?(scalar variable: FileArray, of file: ArrayFile) {
    guard variable.dimensions.allSatisfy({ $0.size == 1 }) else { return nil }
    self.init(variable, of: file)
  }

  private init?(_ variable: FileArray, of file: ArrayFile) {
    guard let values = variable.coordinates() else { return nil }
    name = variable.name
    self.values = values
    rounding = variable.isSingle ? 0x1p-23 : 0x1p-52
    (kind, isInDegrees) = Self.meaning(
      name: variable.name, unit: variable.unit, standardName: variable.text("standard_name"),
      axis: variable.text("axis"), positive: variable.text("positive"))
    isInKilometres =
      (kind == .x || kind == .y) && Self.kilometres.contains(variable.unit.lowercased())
    if let boundsName = variable.text("bounds"), let array = file.array(boundsName),
      array.dimensions.map(\.size) == variable.dimensions.map(\.size) + [2],
      let edges = array.coordinates()
    {
      bounds = values.indices.map { (edges[2 * $0], edges[2 * $0 + 1]) }
      boundsRounding = array.isSingle ? 0x1p-23 : 0x1p-52
    }
    unwrap()
  }

  /// Creates an axis from coordinate values.
  init(
    kind: Kind, values: [Double], bounds: [(Double, Double)]? = nil, rounding: Double = 0x1p-52,
    isInDegrees: Bool = false, name: String = ""
  ) {
    (self.kind, self.values, self.bounds, self.rounding) = (kind, values, bounds, rounding)
    (self.isInDegrees, self.name) = (isInDegrees, name)
    unwrap()
  }

  static func meaning(
    name: String, unit: String, standardName: String?, axis: String?, positive: String?
  ) -> (Kind, isInDegrees: Bool) {
    let unit = unit.lowercased()
    let isPlainDegree = ["degrees", "degree", "deg"].contains(unit)
    switch standardName ?? "" {
    case "longitude": return (.longitude, isPlainDegree || eastward.contains(unit))
    case "latitude": return (.latitude, isPlainDegree || northward.contains(unit))
    case "projection_x_coordinate", "projection_x_angular_coordinate", "grid_longitude":
      return (.x, false)
    case "projection_y_coordinate", "projection_y_angular_coordinate", "grid_latitude":
      return (.y, false)
    case "time", "forecast_reference_time", "forecast_period": return (.time, false)
    default: break
    }
    if eastward.contains(unit) { return (.longitude, true) }
    if northward.contains(unit) { return (.latitude, true) }
    if unit.contains(" since ") { return (.time, false) }
    switch axis?.uppercased() {
    case "X": return (.x, false)
    case "Y": return (.y, false)
    case "T": return (.time, false)
    case "Z": return (.vertical, false)
    default: break
    }
    if positive != nil { return (.vertical, false) }
    switch name.lowercased() {
    case "lon", "longitude": return (.longitude, isPlainDegree)
    case "lat", "latitude": return (.latitude, isPlainDegree)
    // Coordinates without a unit may be cell indices.
    case "x", "rlon", "easting": return (unit.isEmpty ? .unknown : .x, false)
    case "y", "rlat", "northing": return (unit.isEmpty ? .unknown : .y, false)
    default: return (.unknown, false)
    }
  }

  private static let kilometres: Set<String> = [
    "km", "kilometer", "kilometers", "kilometre", "kilometres",
  ]
  private static let eastward: Set<String> = [
    "degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese",
  ]
  private static let northward: Set<String> = [
    "degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn",
  ]

  /// Whether longitudes that jump at 180 or 360 degrees have been made monotonic.
  private(set) var isUnwrapped = false

  /// Makes longitudes that jump at 180 or 360 degrees monotonic, and moves the bounds to the period
  /// of their coordinates.
  private mutating func unwrap() {
    guard kind == .longitude else { return }
    for index in values.indices.dropFirst() {
      let turns = ((values[index] - values[index - 1]) / 360).rounded()
      guard turns != 0, turns.isFinite else { continue }
      values[index] -= turns * 360
      isUnwrapped = true
    }
    bounds = bounds.map { bounds in
      zip(bounds, values).map { bound, value in
        let edges = [bound.0, bound.1].map { $0 + 360 * ((value - $0) / 360).rounded() }
        return (edges[0], edges[1])
      }
    }
  }

  /// The axis with its coordinates multiplied by a factor.
  func scaled(by factor: Double) -> CoordinateAxis {
    var axis = self
    axis.values = values.map { $0 * factor }
    axis.bounds = bounds.map { $0.map { ($0.0 * factor, $0.1 * factor) } }
    return axis
  }

  /// The axis in reverse order.
  var reversed: CoordinateAxis {
    var axis = self
    axis.values = values.reversed()
    axis.bounds = bounds.map { $0.reversed() }
    return axis
  }

  /// The step of the coordinates if they are evenly spaced, apart from rounding errors; otherwise
  /// nil.
  var evenStep: Double? {
    guard values.count > 1, let first = values.first, let last = values.last else { return nil }
    let step = (last - first) / Double(values.count - 1)
    let largest = max(first.magnitude, last.magnitude)
    let slack = max(2 * rounding * largest, 1e-9 * step.magnitude)
    guard step.isFinite, step != 0,
      values.indices.allSatisfy({
        (values[$0] - (first + Double($0) * step)).magnitude <= slack
      })
    else { return nil }
    return step
  }

  /// The cells between the bounds of evenly spaced coordinates. Nil if the bounds are midway between the
  /// coordinates, and the first and the last cell are not wider than the step. In this case, the cells are
  /// centred on the coordinates. Bounds are ignored unless they are adjacent and contain their coordinates.
  var boundedCells: GridAxis? {
    guard let step = evenStep, let bounds, bounds.count == values.count else { return nil }
    let edges = bounds.map { ($0.0 < $0.1) == (step > 0) ? $0 : ($0.1, $0.0) }
    let (origin, end) = (edges[0].0, edges[edges.count - 1].1)
    let tolerance =
      0.05 * step.magnitude + 4 * boundsRounding * max(origin.magnitude, end.magnitude)
    func isNear(_ a: Double, _ b: Double) -> Bool { (a - b).magnitude <= tolerance }
    let areAdjacent = zip(edges, edges.dropFirst()).allSatisfy { isNear($0.1, $1.0) }
    let areMidpoints = zip(values, edges.dropFirst()).allSatisfy { isNear($0 + step / 2, $1.0) }
    let contain = zip(edges, values).allSatisfy { edge, value in
      min(edge.0, edge.1) - tolerance <= value && value <= max(edge.0, edge.1) + tolerance
    }
    let excess = max(
      (values[0] - step / 2 - origin) / step, (end - values[values.count - 1]) / step - 0.5)
    guard areAdjacent, contain, !areMidpoints || excess * step.magnitude > tolerance else {
      return nil
    }
    let width = (end - origin) / Double(edges.count)
    if edges.indices.allSatisfy({ isNear(edges[$0].0, origin + Double($0) * width) }) {
      return .even(origin: origin, step: width, count: values.count)
    }
    return UnevenAxis(centres: values, bounds: bounds).map { .uneven($0) }
  }

  /// The cells of the axis, or the reason why they cannot be determined.
  var cells: Result<GridAxis, Fault> {
    if let step = evenStep {
      if let cells = boundedCells { return .success(cells) }
      return .success(.even(origin: values[0] - step / 2, step: step, count: values.count))
    }
    if let axis = UnevenAxis(centres: values, bounds: bounds) { return .success(.uneven(axis)) }
    if values.count == 1, bounds == nil {
      return .failure(
        Fault("its only \(itemName) has a coordinate without bounds, so its cell size is unknown"))
    }
    return .failure(
      Fault(
        bounds == nil
          ? "the coordinates of its \(itemName)s are not monotonic"
          : "the bounds of its \(itemName)s overlap or are not monotonic"))
  }

  private var itemName: String { kind.isAcross ? "column" : "row" }

  /// The reason why the cells of an axis cannot be determined. It completes "the raster is not
  /// georeferenced: …".
  struct Fault: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }
  }
}
