import Foundation
import PlumbCore
import PlumbGDAL
import PlumbTestSupport
import Testing

/// Runs the built `plumb`.
///
/// - Parameter isSpawned: whether a new process loads the command.
func plumb(
  _ arguments: [String], input: String = "", folder: String? = nil, isSpawned: Bool = false
) throws -> ProgramRun {
  try ProgramRun(
    TestPaths.program("plumb"), arguments, input: input, folder: folder, isSpawned: isSpawned)
}

/// Runs a shell script that finds the built `plumb` in `$PLUMB`.
func shell(_ script: String, input: String = "", folder: String? = nil) throws -> ProgramRun {
  let program = TestPaths.program("plumb")
  return try ProgramRun(
    "/bin/sh", ["-c", "PLUMB='\(program)'\n" + script], input: input, folder: folder)
}

/// Runs a shell script like `shell`, and ends it and its child processes after a minute.
func boundedShell(_ script: String, folder: String) throws -> ProgramRun {
  let program = TestPaths.program("plumb")
  let arguments = ["60", "/bin/sh", "-c", "PLUMB='\(program)'\n" + script]
  return try ProgramRun("/usr/bin/timeout", arguments, folder: folder)
}

/// A folder with a small raster of known values and further files of a test.
struct Fixture {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  func path(_ name: String) -> String { folder.path(name) }

  /// All names in the folder, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path(name)))
  }

  func write(_ name: String, bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Writes a raster whose cell (column, row) covers x `column`…`column + 1` and y `-row -
  /// 1`…`-row` from `(left, top)`.
  @discardableResult
  func raster<Value: BitwiseCopyable>(
    _ name: String, _ type: PixelType, width: Int = 4, bands: [[Value]],
    left: Double = 0, top: Double = 0, reference: String? = "EPSG:4326",
    nodata: RasterWriter.Nodata? = nil, options: [(String, String)] = []
  ) throws -> String {
    let components = type.isComplex ? 2 : 1
    var writer = try RasterWriter(
      path: path(name), width: width, height: bands[0].count / components / width,
      bandCount: bands.count, pixelType: type, options: options)
    try writer.setGeotransform([left, 1, 0, top, 0, -1])
    if let reference { try writer.setReference(reference) }
    if let nodata { try writer.setNodata(nodata) }
    for (index, values) in bands.enumerated() { try writer.write(values, band: index + 1) }
    try writer.close()
    return path(name)
  }

  /// A raster of 64 x 64 cells in four tiles. The last tile, at the lower right, cannot be decoded.
  func brokenTile(_ name: String) throws {
    let values = (0..<64 * 64).map { UInt16(truncatingIfNeeded: $0 &* 7919) }
    try raster(
      name, .uint16, width: 64, bands: [values],
      options: [
        ("COMPRESS", "DEFLATE"), ("TILED", "YES"), ("BLOCKXSIZE", "32"), ("BLOCKYSIZE", "32"),
      ])
    var bytes = Array(try bytes(name))
    // The last tile is at the end of the file.
    for index in bytes.count - 40..<bytes.count { bytes[index] = 0xFF }
    try write(name, bytes: bytes)
  }

  /// A raster `grid.tif` of 4 x 3 cells in EPSG:4326 with the values 0 to 11; 5 is nodata.
  @discardableResult
  func grid(_ name: String = "grid.tif") throws -> String {
    try raster(
      name, .int16, bands: [(0..<12).map { Int16($0) }], nodata: .double(5))
  }
}

extension ProgramRun {
  /// The output lines without line ends.
  var lines: [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
  }

  /// The text of `--explain` and warnings, except for the sandbox, which differs between machines.
  var errorsWithoutSandbox: String {
    errors.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.hasPrefix("plumb: the kernel ") }.joined(separator: "\n")
  }

  /// Each line of the output as a JSON object.
  var objects: [[String: Any]] {
    get throws {
      try lines.map { line in
        try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  /// Checks that a run failed with one line that contains `words`.
  func expectRefusal(
    _ words: String..., status: Int32 = 1, location: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, "\(errors)", sourceLocation: location)
    let isOneLine = errors.hasPrefix("plumb: ") && errors.hasSuffix("\n")
    #expect(
      isOneLine && errors.filter { $0 == "\n" }.count == 1, "\(errors)", sourceLocation: location)
    for word in words {
      #expect(errors.contains(word), "\(errors)", sourceLocation: location)
    }
  }
}
