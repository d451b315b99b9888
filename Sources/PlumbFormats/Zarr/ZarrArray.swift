import PlumbCore
import PlumbIO

/// The layout of an array of a Zarr store (version 2), as described by its `.zarray` file.
package struct ZarrArray: Sendable {
  /// The compression of chunks.
  package enum Compression: Sendable, Hashable {
    case none
    case zstd(level: Int)
    case zlib(level: Int)
    /// Blosc with any of its compressors; it is only read, never written.
    case blosc
  }

  /// The value of cells without data.
  package enum Fill: Sendable, Hashable {
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
  }

  /// The number of elements in each dimension, and in each dimension of a chunk.
  package var shape: [Int]
  package var chunks: [Int]
  package var type: PixelType
  /// The fill value; nil if the array has none.
  package var fill: Fill?
  package var compression: Compression
  /// The text between the indices in the name of a chunk.
  package var separator = "."
  /// Whether all chunks were written, so that a missing file is an error. Otherwise, all values of a
  /// missing chunk are the fill value, or 0 if the array has no fill value, because zarr-python does not
  /// write chunks of zeros.
  package var isComplete = true

  /// The maximum size of a chunk in bytes.
  package static let largestChunk = 256 << 20

  package init(
    shape: [Int], chunks: [Int], type: PixelType, fill: Fill?, compression: Compression
  ) {
    (self.shape, self.chunks, self.type) = (shape, chunks, type)
    (self.fill, self.compression) = (fill, compression)
  }

  /// The division into chunks.
  package var layout: ChunkLayout { ChunkLayout(shape: shape, chunks: chunks, type: type) }

  /// The size of a chunk in bytes before compression.
  package var chunkBytes: Int { layout.chunkBytes }

  /// The number of chunks in each dimension.
  package var chunkCounts: [Int] { layout.chunkCounts }

  /// The name of the file of a chunk in the array's folder.
  package func chunkName(_ indices: [Int]) -> String {
    Self.name(indices, separator)
  }

  // MARK: JSON

  private static let typeNames: [PixelType: String] = [
    .uint8: "|u1", .int8: "|i1", .uint16: "<u2", .int16: "<i2", .uint32: "<u4", .int32: "<i4",
    .uint64: "<u8", .int64: "<i8", .float32: "<f4", .float64: "<f8",
  ]

  /// Whether values of a type can be stored.
  package static func supports(_ type: PixelType) -> Bool { typeNames[type] != nil }

  /// The content of `.zarray`.
  package var json: JSONObject {
    var object = JSONObject()
    object.add("chunks", integers: chunks)
    switch compression {
    case .none: object.add("compressor", FieldValue.null)
    case .zstd(let level): object.add("compressor", Self.compressor("zstd", level))
    case .zlib(let level): object.add("compressor", Self.compressor("zlib", level))
    case .blosc: preconditionFailure("chunks are not written with Blosc")
    }
    if separator != "." { object.add("dimension_separator", separator) }
    object.add("dtype", Self.typeNames[type])
    object.add("fill_value", json: fill?.json ?? "null")
    object.add("filters", FieldValue.null)
    object.add("order", "C")
    object.add("shape", integers: shape)
    object.add("zarr_format", 2)
    return object
  }

  private static func compressor(_ id: String, _ level: Int) -> JSONObject {
    var object = JSONObject()
    object.add("id", id)
    object.add("level", level)
    return object
  }

  /// - Parameter tree: the content of `.zarray`.
  /// - Returns: nil for another version, and for types, filters and compressions that Plumb does not decode itself.
  package init?(_ tree: JSONTree) {
    guard case .object(let members) = tree, members["zarr_format"] == .integer(2),
      members["order"] == .text("C"), Self.isEmpty(members["filters"]),
      case .text(let name)? = members["dtype"],
      let type = Self.typeNames.first(where: { $0.value == name })?.key,
      let layout = Self.layout(tree)
    else { return nil }
    (shape, chunks, separator) = layout
    if Self.isEmpty(members["fill_value"]) {
      fill = nil
    } else {
      guard let known = members["fill_value"].flatMap({ Fill($0, of: type) }) else { return nil }
      fill = known
    }
    var bytes = type.byteCount
    for count in chunks {
      let (product, isTooLarge) = bytes.multipliedReportingOverflow(by: count)
      guard !isTooLarge, product <= Self.largestChunk else { return nil }
      bytes = product
    }
    switch members["compressor"] {
    case nil, .null?: compression = .none
    case .object(let members)?:
      var level = 0
      if case .integer(let number)? = members["level"] { level = Int(clamping: number) }
      switch members["id"] {
      case .text("zstd"): compression = .zstd(level: level)
      case .text("zlib"): compression = .zlib(level: level)
      case .text("blosc") where BloscDecoder.isAvailable: compression = .blosc
      default: return nil
      }
    default: return nil
    }
    self.type = type
    isComplete = false
  }

  /// The shape, the shape of chunks, and the text between the indices of a chunk; nil if `.zarray`
  /// does not contain valid values.
  private static func layout(
    _ tree: JSONTree
  ) -> (shape: [Int], chunks: [Int], separator: String)? {
    guard case .object(let members) = tree, let shape = sizes(members["shape"]),
      let chunks = sizes(members["chunks"]), shape.count == chunks.count
    else { return nil }
    switch members["dimension_separator"] {
    case nil, .null?: return (shape, chunks, ".")
    case .text(let text)? where text == "." || text == "/": return (shape, chunks, text)
    default: return nil
    }
  }

  /// The properties that determine whether an array can be read, for messages: its type, order,
  /// compressor and filters.
  ///
  /// - Parameter tree: the content of `.zarray`.
  package static func storage(_ tree: JSONTree) -> String {
    guard case .object(let members) = tree else { return "no layout" }
    func name(_ tree: JSONTree?) -> String? {
      guard case .object(let members)? = tree, case .text(let name)? = members["id"] else {
        return nil
      }
      return name.printable
    }
    var parts: [String] = []
    if case .text(let type)? = members["dtype"] { parts.append("the type \(type.printable)") }
    if members["order"] == .text("F") { parts.append("the order F") }
    if let compressor = name(members["compressor"]) {
      parts.append("the compressor \(compressor)")
    }
    let filters = members["filters"]?.elements?.compactMap(name) ?? []
    if !filters.isEmpty { parts.append("the filters \(filters.joined(separator: " and "))") }
    return parts.isEmpty ? "no layout" : parts.joined(separator: ", ")
  }

  /// The names of all chunks of an array of any type and compression; nil if there are more than the limit, or if the
  /// layout is not valid.
  package static func chunkNames(_ tree: JSONTree, limit: Int) -> [String]? {
    guard let (shape, chunks, separator) = layout(tree) else { return nil }
    let counts = zip(shape, chunks).map { ($0 + $1 - 1) / $1 }
    var total = 1
    for count in counts {
      let (product, isTooLarge) = total.multipliedReportingOverflow(by: count)
      guard !isTooLarge, product <= limit else { return nil }
      total = product
    }
    return (0..<total).map { number in
      var (rest, indices) = (number, [Int]())
      for count in counts.reversed() {
        indices.append(rest % count)
        rest /= count
      }
      return name(indices.reversed(), separator)
    }
  }

  /// The maximum size of a compressed chunk, if a value has at most 16 bytes; nil if the layout is not valid.
  package static func largestPacked(_ tree: JSONTree) -> Int? {
    guard let (_, chunks, _) = layout(tree) else { return nil }
    var size = 16
    for count in chunks {
      let (product, isTooLarge) = size.multipliedReportingOverflow(by: count)
      guard !isTooLarge else { return nil }
      size = product
    }
    return min(size, 1 << 40) + 4096
  }

  /// The number of values in a chunk of an array of one dimension; nil for other arrays.
  package static func valueCount(_ tree: JSONTree, chunk: Int) -> Int? {
    guard let (shape, chunks, _) = layout(tree), shape.count == 1 else { return nil }
    return max(0, min(chunks[0], shape[0] - chunk * chunks[0]))
  }

  /// Whether an array has at most one value.
  package static func isSingle(_ tree: JSONTree) -> Bool {
    guard let (shape, _, _) = layout(tree) else { return false }
    return shape.allSatisfy { $0 < 2 }
  }

  /// Whether an array has a value for chunks that do not exist.
  package static func hasFill(_ tree: JSONTree) -> Bool {
    guard case .object(let members) = tree else { return false }
    return !isEmpty(members["fill_value"])
  }

  private static func name(_ indices: [Int], _ separator: String) -> String {
    indices.isEmpty ? "0" : indices.map { String($0) }.joined(separator: separator)
  }

  /// Whether a member is missing, null or an empty list.
  private static func isEmpty(_ tree: JSONTree?) -> Bool {
    switch tree {
    case nil, .null?: true
    case .list(let list)?: list.isEmpty
    default: false
    }
  }

  private static func sizes(_ tree: JSONTree?) -> [Int]? {
    guard let list = tree?.elements, list.count <= 32 else { return nil }
    var sizes: [Int] = []
    for element in list {
      guard case .integer(let number) = element, (1...Int64(Int32.max)).contains(number) else {
        return nil
      }
      sizes.append(Int(number))
    }
    return sizes
  }
}

extension ZarrArray.Fill {
  /// The value as JSON.
  package var json: String {
    switch self {
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .real(let value) where value.isNaN: "\"NaN\""
    case .real(let value) where value.isInfinite: value > 0 ? "\"Infinity\"" : "\"-Infinity\""
    case .real(let value): value.description
    }
  }

  /// - Returns: nil for a value that the type cannot represent exactly.
  fileprivate init?(_ tree: JSONTree, of type: PixelType) {
    if type.isFloatingPoint {
      guard let number = Self.real(tree) else { return nil }
      self = .real(number)
      return
    }
    switch tree {
    case .integer(let number) where type == .uint64:
      guard let number = UInt64(exactly: number) else { return nil }
      self = .unsigned(number)
    case .integer(let number): self = .integer(number)
    // The JSON reader has rounded the largest 64-bit integers.
    case .real(let number) where type == .uint64:
      guard number == 0x1p64 else { return nil }
      self = .unsigned(.max)
    case .real(let number):
      guard let whole = Int64(exactly: number) else { return nil }
      self = .integer(whole)
    default: return nil
    }
  }

  private static func real(_ tree: JSONTree) -> Double? {
    switch tree {
    case .text("NaN"): .nan
    case .text("Infinity"): .infinity
    case .text("-Infinity"): -.infinity
    case .integer(let number): Double(number)
    case .real(let number) where number.isFinite: number
    default: nil
    }
  }

  /// Writes the value in a type that can represent it.
  package func store(as type: PixelType, at target: UnsafeMutableRawPointer) {
    switch (self, type) {
    case (.real(let value), .float32): target.storeBytes(of: Float(value), as: Float.self)
    case (.real(let value), .float64): target.storeBytes(of: value, as: Double.self)
    case (.real, _): break
    // The low bytes of a number come first, so they are also the bytes of a shorter type.
    case (.integer(let value), _):
      withUnsafeBytes(of: value.littleEndian) {
        if let start = $0.baseAddress { target.copyMemory(from: start, byteCount: type.byteCount) }
      }
    case (.unsigned(let value), _):
      withUnsafeBytes(of: value.littleEndian) {
        if let start = $0.baseAddress { target.copyMemory(from: start, byteCount: type.byteCount) }
      }
    }
  }
}
