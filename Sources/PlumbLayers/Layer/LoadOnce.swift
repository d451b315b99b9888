/// When a layer that could not be loaded is loaded again: never, or, where another machine may be back,
/// some seconds later.
struct LoadRetry {
  private let isRemote: Bool
  private var failure: ContinuousClock.Instant?
  private static let patience = Duration.seconds(5)

  init(isRemote: Bool) { self.isRemote = isRemote }

  /// Whether a failure is old enough.
  var isDue: Bool {
    isRemote && failure.map { ContinuousClock.now - $0 > Self.patience } ?? false
  }

  mutating func fail() { failure = ContinuousClock.now }
}

/// Runs `body` unless it was run before, and keeps what became of it.
func loadOnce(
  _ status: inout LoadStatus, _ retry: inout LoadRetry, _ body: () throws -> Void
) throws(LayerError) {
  switch status {
  case .loaded: return
  case .failed(let error) where !retry.isDue: throw error
  case .failed, .notLoaded:
    do {
      try body()
      status = .loaded
    } catch {
      let failure =
        (error as? LayerError)
        ?? LayerError(code: .loadFailed, error)
      status = .failed(failure)
      retry.fail()
      throw failure
    }
  }
}
