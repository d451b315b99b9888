/// Bytes of text that grow at the end: what rows are written to before they go out.
public final class TextBuffer {
  public private(set) var base: UnsafeMutablePointer<UInt8>
  public private(set) var count = 0
  private var capacity: Int

  public init(capacity: Int = 1 << 16) {
    self.capacity = max(64, capacity)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  public func removeAll() { count = 0 }

  /// Makes room for `extra` more bytes.
  @inline(__always)
  public func reserve(_ extra: Int) {
    if count + extra > capacity { grow(extra) }
  }

  private func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    base = larger
  }

  @inline(__always)
  public func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  @inline(__always)
  public func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (base + count).update(from: start, count: length)
    count += length
  }

  public func append(_ text: String) {
    var text = text
    text.withUTF8 { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  public func append(_ text: StaticString) { append(text.utf8Start, text.utf8CodeUnitCount) }

  public func append(contentsOf bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { append(start, $0.count) } }
  }

  public func append(signed value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(unsigned: value.magnitude)
  }

  /// Appends decimal digits.
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
    var rest = value
    var position = count + length
    while position > count {
      position -= 1
      let tenth = rest / 10
      base[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- tenth &* 10)
      rest = tenth
    }
    count += length
  }
}
