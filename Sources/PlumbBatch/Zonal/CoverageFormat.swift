import PlumbCore
import PlumbIO
import PlumbRaster

/// The inputs on which the coverage in a file depends, as strings. Equal keys mean equal coverage.
struct CoverageKey: Equatable {
  /// The CRS of the areas, and the radius of discs. The areas themselves are compared by their
  /// hashes.
  var areas: String
  var grid: String
  /// The rule that selects cells, and the minimum covered fraction of a cell.
  var rule: String
  /// PROJ's version, and the operations from the CRS of the areas to that of the grid; empty without
  /// a transformation.
  var operations: String

  init(
    _ cells: ZonalGrid, _ rule: InclusionRule, _ reference: SpatialReference?, radius: Double?,
    operations: String
  ) {
    self.operations = operations
    areas = "\(reference?.definition ?? "")\n\(radius.map { "\($0)" } ?? "")"
    grid = "\(cells.grid.width) \(cells.grid.height)\n\(cells.transform)\n\(cells.reference ?? "")"
    self.rule = "\(rule.cells.rawValue) \(rule.threshold)"
  }
}

/// The start and the end of coverage files, and the errors for files that cannot be used.
///
/// A file consists of the bytes `PLUMBCOV`, the version, four strings, the blocks of areas, and an
/// end with the number of areas. A block consists of the number of areas, the size of the areas
/// before and after compression, a checksum, and bytes in the zlib format. The checksum includes
/// the preceding numbers of the block.
enum CoverageFormat {
  static let magic = Array("PLUMBCOV".utf8)
  static let version: UInt32 = 2

  static func start(_ key: CoverageKey) -> [UInt8] {
    var bytes = CoverageCoding.ByteWriter()
    for byte in magic { bytes.put(byte) }
    bytes.put(version)
    for text in [key.areas, key.grid, key.rule, key.operations] { bytes.put(text) }
    return bytes.bytes
  }

  /// Returns the error for a coverage file that cannot be used.
  static func unusable(
    _ path: String, _ reason: String, _ code: FailureCode = .badOption
  ) -> PlumbError {
    error(path, reason, code, "remove it to compute the coverage again")
  }

  static func damaged(_ path: String) -> PlumbError {
    unusable(path, "is not a complete coverage file", .badInput)
  }

  /// Returns the error for a path that does not refer to a coverage file.
  static func other(_ path: String, _ reason: String) -> PlumbError {
    error(path, reason, .badOption, "name another file")
  }

  private static func error(
    _ path: String, _ reason: String, _ code: FailureCode, _ remedy: MessageTemplate
  ) -> PlumbError {
    PlumbError(
      messageTemplate: "\(.coverage): \(path.printable) \(reason)", code: code,
      remedies: [remedy], context: FailureContext(file: path))
  }

  /// Returns the last bytes of a file. They contain the number of areas, the number of groups that
  /// had to be repaired, the number of areas that could not be joined, and a checksum.
  static func end(_ numbers: [Int]) -> [UInt8] {
    var end = CoverageCoding.ByteWriter()
    for number in numbers { end.put(UInt64(clamping: number)) }
    end.put(checksum(numbers, []))
    return end.bytes
  }

  static let endSize = 28
  /// The maximum total size in bytes of the blocks in memory.
  static let sizeLimit: UInt64 = 1 << 31

  /// Returns a checksum of the numbers of a block and its bytes.
  static func checksum(_ numbers: [Int], _ bytes: [UInt8]) -> UInt32 {
    var start = CoverageCoding.ByteWriter()
    for number in numbers { start.put(UInt64(clamping: number)) }
    start.put(ZlibPacking.checksum(bytes[...]))
    return ZlibPacking.checksum(start.bytes[...])
  }
}
