/// A receiver of bytes that are appended.
protocol ByteSink {
  mutating func append(_ byte: UInt8)
  mutating func append(_ start: UnsafePointer<UInt8>, _ length: Int)
}

extension TextBuffer: ByteSink {}

extension [UInt8]: ByteSink {
  mutating func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
    append(contentsOf: UnsafeBufferPointer(start: start, count: length))
  }
}
