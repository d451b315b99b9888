import PlumbCore

/// What traces mark nodes and spans with. It is used again without being cleared: a mark holds only
/// in the epoch that it was made in.
final class TraceScratch: Sendable {
  // The buffers are written by the one trace that has the scratch.
  let nodes: TrivialBuffer<UInt32>
  let spans: TrivialBuffer<UInt32>
  /// As long as `nodes`.
  let queue: TrivialBuffer<UInt32>
  /// Room for cuts of edges by one trace.
  let extra: Int
  private let epochs = TrivialBuffer<UInt32>(count: 1, zeroed: true)

  static let markBits: UInt32 = 17

  init(nodeCount: Int, spanCount: Int, extra: Int) {
    self.extra = extra
    nodes = TrivialBuffer(count: nodeCount + extra, zeroed: true)
    queue = TrivialBuffer(count: nodeCount + extra)
    // A cut edge has one more part than cuts.
    spans = TrivialBuffer(count: spanCount + 2 * extra, zeroed: true)
  }

  /// Forgets all marks.
  ///
  /// - Returns: the epoch, above the bits of marks.
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
