import PlumbCore

/// Growable memory with padding after its end, so that loops may load and store whole words there.
///
/// Only one thread at a time uses the object.
final class PaddedBytes {
  /// The number of bytes after `capacity` that may be read and written. Their content is
  /// unspecified.
  static let padding = 64

  private(set) var base: UnsafeMutableRawPointer
  private(set) var capacity: Int

  init(capacity: Int = 0) {
    self.capacity = capacity
    base = LargeMemory.allocate(byteCount: capacity + Self.padding)
  }

  deinit { LargeMemory.deallocate(base, byteCount: capacity + Self.padding) }

  /// Makes room for `capacity` bytes and keeps the first `used` bytes. The address may change.
  func reserve(_ capacity: Int, keeping used: Int = 0) {
    guard capacity > self.capacity else { return }
    let size = max(capacity, self.capacity * 2)
    let target = LargeMemory.allocate(byteCount: size + Self.padding)
    target.copyMemory(from: base, byteCount: min(used, self.capacity))
    LargeMemory.deallocate(base, byteCount: self.capacity + Self.padding)
    (base, self.capacity) = (target, size)
  }

  /// The first bytes.
  func prefix(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base, count: min(count, capacity))
  }
}
