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

  static let markBits: UInt32 = 12

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
    let epoch = epochs.base[0] + 1
    guard epoch < 1 << (32 - Self.markBits) else {
      nodes.base.update(repeating: 0, count: nodes.count)
      spans.base.update(repeating: 0, count: spans.count)
      epochs.base[0] = 1
      return 1 << Self.markBits
    }
    epochs.base[0] = epoch
    return epoch << Self.markBits
  }
}

/// Marks of nodes or of spans, one bit each.
struct Marks {
  let base: UnsafeMutablePointer<UInt32>
  let epoch: UInt32

  @inline(__always)
  func has(_ item: Int, _ bit: UInt32) -> Bool {
    let word = base[item]
    return word >= epoch && word & bit != 0
  }

  /// - Returns: false when it was set already.
  @inline(__always)
  func set(_ item: Int, _ bit: UInt32) -> Bool {
    let word = base[item]
    if word < epoch {
      base[item] = epoch | bit
      return true
    }
    if word & bit != 0 { return false }
    base[item] = word | bit
    return true
  }

  @inline(__always)
  func clear(_ item: Int, _ bit: UInt32) {
    if base[item] >= epoch { base[item] &= ~bit }
  }

  @inline(__always)
  func bits(_ item: Int) -> UInt32 {
    let word = base[item]
    return word >= epoch ? word & (1 << TraceScratch.markBits - 1) : 0
  }
}

extension UtilityNetwork {
  /// Runs a trace with marks of its own.
  func withScratch<R>(
    extra: Int, _ body: (TraceScratch) throws(NetworkError) -> R
  ) throws(NetworkError) -> R {
    let known = scratches.withLock { scratches -> TraceScratch? in
      guard let index = scratches.lastIndex(where: { $0.extra >= extra }) else { return nil }
      return scratches.remove(at: index)
    }
    let scratch =
      known
      ?? TraceScratch(
        nodeCount: graph.nodeCount, spanCount: graph.spanCount, extra: max(extra, 64))
    defer { scratches.withLock { $0.append(scratch) } }
    return try body(scratch)
  }
}
