import PlumbCore
import PlumbIO
import PlumbRaster

/// What the coverage in a file depends on, as text that is equal if the coverage is.
struct CoverageKey: Equatable {
  /// The CRS of the areas, and the radius of discs; the areas are compared one by one.
  var areas: String
  var grid: String
  /// The cells that count, and the covered fraction that they need.
  var rule: String

  init(
    _ cells: ZonalGrid, _ rule: InclusionRule, _ reference: SpatialReference?, radius: Double?
  ) {
    areas = "\(reference?.definition ?? "")\n\(radius.map { "\($0)" } ?? "")"
    grid = "\(cells.grid.width) \(cells.grid.height)\n\(cells.transform)\n\(cells.reference ?? "")"
    self.rule = "\(rule.cells.rawValue) \(rule.threshold)"
  }
}

/// The start and the errors of files of coverage.
///
/// A file has the bytes `PLUMBCOV`, the version, three texts, the blocks of areas, and an end with the number
/// of areas. A block has the number of areas, its size before and after compression, a checksum, and bytes in
/// the zlib format. The checksum includes the numbers before it.
enum CoverageFormat {
  static let magic = Array("PLUMBCOV".utf8)
  static let version: UInt32 = 1

  static func start(_ key: CoverageKey) -> [UInt8] {
    var bytes = CoverageCoding.ByteWriter()
    for byte in magic { bytes.put(byte) }
    bytes.put(version)
    for text in [key.areas, key.grid, key.rule] { bytes.put(text) }
    return bytes.bytes
  }

  /// The file is a file of coverage that cannot be used.
  static func unusable(
    _ path: String, _ reason: String, _ code: FailureCode = .badOption
  ) -> PlumbError {
    error(path, reason, code, "remove it to compute the coverage again")
  }

  static func damaged(_ path: String) -> PlumbError {
    unusable(path, "is not a complete file of coverage", .badInput)
  }

  /// The path is not that of a file of coverage.
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

  /// The last bytes of a file: the number of areas, that of groups that had to be repaired, that of areas that could
  /// not be joined, and a checksum.
  static func end(_ numbers: [Int]) -> [UInt8] {
    var end = CoverageCoding.ByteWriter()
    for number in numbers { end.put(UInt64(clamping: number)) }
    end.put(checksum(numbers, []))
    return end.bytes
  }

  static let endSize = 28
  /// The maximum size of the blocks that are in memory at once.
  static let sizeLimit: UInt64 = 1 << 31

  /// A checksum of the numbers of a block, and its bytes.
  static func checksum(_ numbers: [Int], _ bytes: [UInt8]) -> UInt32 {
    var start = CoverageCoding.ByteWriter()
    for number in numbers { start.put(UInt64(clamping: number)) }
    start.put(ZlibPacking.checksum(bytes[...]))
    return ZlibPacking.checksum(start.bytes[...])
  }
}
