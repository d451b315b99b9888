/// A growing buffer of UTF-8 text. Rows are written into the buffer before they are output.
///
/// - Invariant: only one thread at a time uses the buffer. The run or job that uses it ends before
///   another thread uses it.
public final class TextBuffer: @unchecked Sendable {
  // The state is stored behind a pointer, so that appending needs no exclusivity check.
  @usableFromInline
  struct State {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var count: Int
    @usableFromInline var capacity: Int
  }

  @usableFromInline let state: UnsafeMutablePointer<State>

  /// Creates an empty buffer with a capacity of at least 64 bytes.
  public init(capacity: Int = 1 << 16) {
    let capacity = max(64, capacity)
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(base: .allocate(capacity: capacity), count: 0, capacity: capacity))
  }

  deinit {
    state.pointee.base.deallocate()
    state.deallocate()
  }

  /// The number of bytes in the buffer.
  @inlinable
  public var count: Int { state.pointee.count }

  /// The number of bytes that fit before the buffer grows.
  public var capacity: Int { state.pointee.capacity }

  /// The bytes in the buffer, valid until more bytes are appended.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: state.pointee.base, count: state.pointee.count)
  }

  /// Removes all bytes and keeps the memory.
  public func removeAll() { state.pointee.count = 0 }

  /// Removes the bytes after the first `count`.
  ///
  /// - Precondition: there are at least `count` bytes.
  public func removeAll(after count: Int) {
    precondition(count >= 0 && count <= state.pointee.count, "fewer bytes")
    state.pointee.count = count
  }

  /// Reserves memory for `extra` more bytes.
  @inlinable
  public func reserve(_ extra: Int) {
    if state.pointee.count + extra > state.pointee.capacity { grow(extra) }
  }

  @usableFromInline
  func grow(_ extra: Int) {
    let (base, count) = (state.pointee.base, state.pointee.count)
    state.pointee.capacity = max(state.pointee.capacity * 2, count + extra)
    state.pointee.base = .allocate(capacity: state.pointee.capacity)
    state.pointee.base.update(from: base, count: count)
    base.deallocate()
  }

  /// Appends one byte.
  @inlinable
  public func append(_ byte: UInt8) {
    reserve(1)
    state.pointee.base[state.pointee.count] = byte
    state.pointee.count += 1
  }

  /// Appends bytes, which must not be in this buffer.
  @inlinable
  public func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (state.pointee.base + state.pointee.count).update(from: start, count: length)
    state.pointee.count += length
  }

  /// Appends a string as UTF-8.
  @inlinable
  public func append(_ text: String) {
    var text = text
    text.withUTF8 { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  /// Appends bytes.
  @inlinable
  public func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  /// Appends the decimal digits of a number, after a minus sign if it is negative.
  @inlinable
  public func append(signed value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude)
  }

  /// Appends the decimal digits of a number.
  @inlinable
  public func append(unsigned value: UInt64) {
    let length = Self.digitCount(value)
    reserve(length)
    Self.putDigits(value, length, endingAt: state.pointee.base + state.pointee.count + length)
    state.pointee.count += length
  }

  /// The number of decimal digits of a number.
  @inlinable
  static func digitCount(_ value: UInt64) -> Int {
    if value < 10_000 {
      return value < 100 ? (value < 10 ? 1 : 2) : (value < 1000 ? 3 : 4)
    }
    if value < 100_000_000 {
      return value < 1_000_000
        ? (value < 100_000 ? 5 : 6) : (value < 10_000_000 ? 7 : 8)
    }
    return 8 + digitCount(value / 100_000_000)
  }

  /// Writes `length` digits of a number, two at a time, with leading zeros.
  @inlinable
  static func putDigits(
    _ value: UInt64, _ length: Int, endingAt end: UnsafeMutablePointer<UInt8>
  ) {
    let pairs: StaticString = """
      00010203040506070809101112131415161718192021222324252627282930313233343536373839\
      40414243444546474849505152535455565758596061626364656667686970717273747576777879\
      8081828384858687888990919293949596979899
      """
    let digits = pairs.utf8Start
    var (rest, position) = (value, length)
    var end = end
    while position >= 2 {
      let hundredth = rest / 100
      let pair = digits + Int(truncatingIfNeeded: (rest &- hundredth &* 100) &* 2)
      end -= 2
      (end[0], end[1]) = (pair[0], pair[1])
      rest = hundredth
      position &-= 2
    }
    if position == 1 { end[-1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10) }
  }

  /// Appends the bytes of a literal.
  @inlinable
  package func append(literal text: StaticString) {
    append(text.utf8Start, text.utf8CodeUnitCount)
  }

  /// Appends the decimal digits of a number, with leading zeros up to a width.
  ///
  /// - Precondition: the value has at most `width` digits.
  package func append(unsigned value: UInt64, width: Int) {
    reserve(width)
    Self.putDigits(value, width, endingAt: state.pointee.base + state.pointee.count + width)
    state.pointee.count += width
  }
}
