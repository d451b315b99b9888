/// Bytes of text that grow at the end: what rows are written to before they go out.
///
/// - Invariant: one thread at a time uses it; between two, a run or a job ends.
public final class TextBuffer: @unchecked Sendable {
  // The state lies behind a pointer, so that an append costs no check of exclusive access.
  @usableFromInline
  struct State {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var count: Int
    @usableFromInline var capacity: Int
  }

  @usableFromInline let state: UnsafeMutablePointer<State>

  /// An empty buffer; 64 bytes is the least it takes.
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

  /// Bytes that were appended.
  @inlinable
  public var count: Int { state.pointee.count }

  /// The bytes so far, valid until more are appended.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: state.pointee.base, count: state.pointee.count)
  }

  /// Forgets the bytes, and keeps the memory for others.
  public func removeAll() { state.pointee.count = 0 }

  /// Makes room for `extra` more bytes.
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

  /// Appends bytes from elsewhere, which must not lie in this buffer.
  @inlinable
  public func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (state.pointee.base + state.pointee.count).update(from: start, count: length)
    state.pointee.count += length
  }

  /// Appends the text's UTF-8.
  @inlinable
  public func append(_ text: String) {
    var text = text
    text.withUTF8 { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  /// Appends bytes as they are.
  @inlinable
  public func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  /// Appends decimal digits, after a minus sign where there is one.
  @inlinable
  public func append(signed value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude)
  }

  /// Appends decimal digits.
  @inlinable
  public func append(unsigned value: UInt64) {
    reserve(20)
    var length = 1
    var limit: UInt64 = 10
    while value >= limit {
      length += 1
      let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
      if overflow { break }
      limit = next
    }
    let end = state.pointee.base + state.pointee.count + length
    var rest = value
    for position in 1...length {
      let tenth = rest / 10
      end[-position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- tenth &* 10)
      rest = tenth
    }
    state.pointee.count += length
  }
}
