import PlumbCore

/// The marks of traces on nodes and spans. The buffers are reused without clearing, because a mark is valid
/// only in the epoch in which it was set.
final class TraceScratch: Sendable {
  // Only the trace that uses the scratch writes to the buffers.
  let nodes: TrivialBuffer<UInt32>
  let spans: TrivialBuffer<UInt32>
  /// The queue, with the length of `nodes`.
  let queue: TrivialBuffer<UInt32>
  /// The maximum number of points at which one trace can cut edges.
  let extra: Int
  private let epochs = TrivialBuffer<UInt32>(count: 1, zeroed: true)

  static let markBits: UInt32 = 17

  init(nodeCount: Int, spanCount: Int, extra: Int) {
    self.extra = extra
    nodes = TrivialBuffer(count: nodeCount + extra, zeroed: true)
    queue = TrivialBuffer(count: nodeCount + extra)
    // An edge with n cuts has n + 1 parts.
    spans = TrivialBuffer(count: spanCount + 2 * extra, zeroed: true)
  }

  /// Invalidates all marks.
  ///
  /// - Returns: the epoch, in the bits above the bits of marks.
  func begin() -> UInt32 {
    let epoch = unsafe epochs.base[0] + 1
    guard epoch < 1 << (32 - Self.markBits) else {
      unsafe nodes.base.update(repeating: 0, count: nodes.count)
      unsafe spans.base.update(repeating: 0, count: spans.count)
      unsafe epochs.base[0] = 1
      return 1 << Self.markBits
    }
    unsafe epochs.base[0] = epoch
    return epoch << Self.markBits
  }
}
