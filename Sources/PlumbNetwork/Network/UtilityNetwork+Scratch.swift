import PlumbCore

extension UtilityNetwork {
  /// Runs `body`, a trace, with marks that no other trace uses at the same time.
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
