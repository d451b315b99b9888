import Foundation

/// Writes netCDF classic files: dimensions, text attributes and variables.
public struct ClassicNetCDF {
  public enum Values {
    case int([Int32])
    case float([Float])
    case double([Double])

    fileprivate var code: UInt32 {
      switch self {
      case .int: 4
      case .float: 5
      case .double: 6
      }
    }

    fileprivate var bytes: [UInt8] {
      switch self {
      case .int(let values): values.flatMap { ClassicNetCDF.bytes(UInt32(bitPattern: $0)) }
      case .float(let values): values.flatMap { ClassicNetCDF.bytes($0.bitPattern) }
      case .double(let values):
        values.flatMap { value in (0..<8).map { UInt8(value.bitPattern >> (56 - 8 * $0) & 255) } }
      }
    }
  }

  private struct Variable {
    var name: String
    var dimensions: [Int]
    var values: Values
    var attributes: [(String, String)]
  }

  private var dimensions: [(name: String, size: Int)] = []
  private var variables: [Variable] = []
  /// The global attributes.
  public var attributes: [(String, String)] = [("Conventions", "CF-1.8")]

  public init() {}

  public mutating func addDimension(_ name: String, _ size: Int) {
    dimensions.append((name, size))
  }

  public mutating func addVariable(
    _ name: String, _ names: [String], _ values: Values, _ attributes: [(String, String)] = []
  ) {
    let indices = names.map { name in dimensions.firstIndex { $0.name == name } ?? 0 }
    variables.append(
      Variable(name: name, dimensions: indices, values: values, attributes: attributes))
  }

  public func write(to path: String) throws {
    var offset = header(starts: variables.map { _ in 0 }).count
    var starts: [Int] = []
    for variable in variables {
      starts.append(offset)
      offset += variable.values.bytes.count
    }
    let bytes = header(starts: starts) + variables.flatMap(\.values.bytes)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func header(starts: [Int]) -> [UInt8] {
    var bytes = Array("CDF".utf8) + [1]
    bytes += Self.bytes(0)
    bytes += Self.list(10, dimensions.map { Self.text($0.name) + Self.bytes($0.size) })
    bytes += Self.list(of: attributes)
    bytes += Self.list(
      11,
      zip(variables, starts).map { variable, start in
        var part = Self.text(variable.name) + Self.bytes(variable.dimensions.count)
        part += variable.dimensions.flatMap { Self.bytes($0) }
        part += Self.list(of: variable.attributes)
        part += Self.bytes(variable.values.code) + Self.bytes(variable.values.bytes.count)
        return part + Self.bytes(start)
      })
    return bytes
  }

  private static func list(of attributes: [(String, String)]) -> [UInt8] {
    list(12, attributes.map { text($0.0) + bytes(2) + text($0.1) })
  }

  private static func list(_ tag: Int, _ items: [[UInt8]]) -> [UInt8] {
    items.isEmpty
      ? bytes(0) + bytes(0) : bytes(tag) + bytes(items.count) + items.flatMap { $0 }
  }

  private static func text(_ text: String) -> [UInt8] {
    let encodedBytes = Array(text.utf8)
    return bytes(encodedBytes.count) + encodedBytes
      + [UInt8](repeating: 0, count: (4 - encodedBytes.count % 4) % 4)
  }

  private static func bytes(_ number: Int) -> [UInt8] { bytes(UInt32(number)) }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) }
  }
}

extension ClassicNetCDF {
  /// A map whose cells are numbered row by row in file order, with the dimensions `rows` and
  /// `columns` and a coordinate variable for each.
  public static func grid(
    rows: (name: String, values: Values, attributes: [(String, String)]),
    columns: (name: String, values: Values, attributes: [(String, String)]),
    rowBounds: [Double]? = nil, isTransposed: Bool = false
  ) -> ClassicNetCDF {
    var file = ClassicNetCDF()
    let count = { (values: Values) in
      switch values {
      case .int(let values): values.count
      case .float(let values): values.count
      case .double(let values): values.count
      }
    }
    let (height, width) = (count(rows.values), count(columns.values))
    file.addDimension(rows.name, height)
    file.addDimension(columns.name, width)
    var rowAttributes = rows.attributes
    if let rowBounds {
      file.addDimension("edges", 2)
      file.addVariable("row_bounds", [rows.name, "edges"], .double(rowBounds))
      rowAttributes.append(("bounds", "row_bounds"))
    }
    file.addVariable(rows.name, [rows.name], rows.values, rowAttributes)
    file.addVariable(columns.name, [columns.name], columns.values, columns.attributes)
    let numbers = (0..<width * height).map { Float($0) }
    file.addVariable(
      "t", isTransposed ? [columns.name, rows.name] : [rows.name, columns.name],
      .float(
        isTransposed
          ? (0..<width).flatMap { column in (0..<height).map { numbers[$0 * width + column] } }
          : numbers))
    return file
  }

  public static let north = [("units", "degrees_north"), ("standard_name", "latitude")]
  public static let east = [("units", "degrees_east"), ("standard_name", "longitude")]
}
