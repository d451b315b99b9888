import PlumbCore

/// A value that is passed between this process and a helper.
protocol Packed {
  func pack(into packer: inout Packer)
  init(from unpacker: inout Unpacker) throws(GDALError)
}

/// Serializes values consecutively, in native byte order.
struct Packer {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ value: some Packed) { value.pack(into: &self) }

  mutating func putRaw<Value: BitwiseCopyable>(_ value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  /// Appends the number of elements, then all elements.
  mutating func putAll<Value: BitwiseCopyable>(_ values: [Value]) {
    putRaw(values.count)
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }
}

/// Deserializes values. The bytes are not trusted, because the helper that wrote them may be
/// compromised.
struct Unpacker {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The total number of bytes.
  var count: Int { bytes.count }
  /// The number of remaining bytes.
  var rest: Int { bytes.count - position }

  static let fault = GDALError("the helper process sent an invalid reply")

  mutating func read<Value: Packed>(_: Value.Type = Value.self) throws(GDALError) -> Value {
    try Value(from: &self)
  }

  mutating func readRaw<Value: BitwiseCopyable>(_: Value.Type) throws(GDALError) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest >= size else { throw Self.fault }
    defer { position += size }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: Value.self) }
  }

  mutating func readAll<Value: BitwiseCopyable>(_: Value.Type) throws(GDALError) -> [Value] {
    let count = try readCount(size: MemoryLayout<Value>.stride)
    let size = count * MemoryLayout<Value>.stride
    defer { position += size }
    let (bytes, start) = (bytes, position)
    return [Value](unsafeUninitializedCapacity: count) { values, filled in
      bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(values).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + size]))
      }
      filled = count
    }
  }

  /// Reads the number of elements, each of which has at least `size` bytes, and checks that enough
  /// bytes remain for them.
  mutating func readCount(size: Int) throws(GDALError) -> Int {
    let count = try readRaw(Int.self)
    guard count >= 0, count <= rest / size else { throw Self.fault }
    return count
  }

  mutating func readText() throws(GDALError) -> String {
    let count = try readCount(size: 1)
    defer { position += count }
    return String(decoding: bytes[position..<position + count], as: UTF8.self)
  }
}

// MARK: Plain values

extension Bool: Packed {
  func pack(into packer: inout Packer) { packer.putRaw(self ? 1 : 0 as UInt8) }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    self = try unpacker.readRaw(UInt8.self) != 0
  }
}

extension Int: Packed {
  func pack(into packer: inout Packer) { packer.putRaw(self) }
  init(from unpacker: inout Unpacker) throws(GDALError) { self = try unpacker.readRaw(Int.self) }
}

extension Int64: Packed {
  func pack(into packer: inout Packer) { packer.putRaw(self) }
  init(from unpacker: inout Unpacker) throws(GDALError) { self = try unpacker.readRaw(Self.self) }
}

extension Double: Packed {
  func pack(into packer: inout Packer) { packer.putRaw(self) }
  init(from unpacker: inout Unpacker) throws(GDALError) { self = try unpacker.readRaw(Self.self) }
}

extension String: Packed {
  func pack(into packer: inout Packer) { packer.putAll(Array(utf8)) }
  init(from unpacker: inout Unpacker) throws(GDALError) { self = try unpacker.readText() }
}

extension Optional: Packed where Wrapped: Packed {
  func pack(into packer: inout Packer) {
    packer.put(self != nil)
    if let self { packer.put(self) }
  }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    self = try unpacker.read(Bool.self) ? try unpacker.read(Wrapped.self) : nil
  }
}

extension Array: Packed where Element: Packed {
  func pack(into packer: inout Packer) {
    packer.put(count)
    for element in self { packer.put(element) }
  }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    let count = try unpacker.readCount(size: 1)
    self = []
    for _ in 0..<count { append(try unpacker.read(Element.self)) }
  }
}

/// Packs an enumeration as its raw value.
extension Packed where Self: RawRepresentable, RawValue == String {
  func pack(into packer: inout Packer) { packer.put(rawValue) }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    guard let value = Self(rawValue: try unpacker.read()) else { throw Unpacker.fault }
    self = value
  }
}

extension FailureCode: Packed {}

// MARK: Requests and errors

extension GDALError: Packed {
  func pack(into packer: inout Packer) {
    packer.put(message)
    packer.put(code)
    packer.put(isRefusal)
    packer.put(isNetworkFault)
  }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    self.init(try unpacker.read(), code: try unpacker.read())
    (isRefusal, isNetworkFault) = (try unpacker.read(), try unpacker.read())
    message = message.printable
  }
}

extension GDALAccess: Packed {
  func pack(into packer: inout Packer) {
    packer.put(drivers)
    packer.put([Trust.full, .named, .document].firstIndex(of: trust) ?? 2)
    packer.put(allowsNetwork)
  }
  init(from unpacker: inout Unpacker) throws(GDALError) {
    let drivers: [String]? = try unpacker.read()
    let trust: Int = try unpacker.read()
    let trusts: [Trust] = [.full, .named, .document]
    guard trusts.indices.contains(trust) else { throw Unpacker.fault }
    self.init(
      drivers: drivers, trust: trusts[trust], allowsNetwork: try unpacker.read())
  }
}
