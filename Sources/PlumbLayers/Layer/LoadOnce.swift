import PlumbCore

/// When a layer that could not be loaded is loaded again: never, or, where another machine may be back,
/// some seconds later.
struct LoadRetry {
  let isRemote: Bool
  private var failure: ContinuousClock.Instant?
  static let patience = Duration.seconds(5)

  init(isRemote: Bool) { self.isRemote = isRemote }

  /// Whether a failure is old enough.
  var isDue: Bool {
    isRemote && failure.map { ContinuousClock.now - $0 > Self.patience } ?? false
  }

  mutating func fail() { failure = ContinuousClock.now }
}

/// What becomes of loading a layer.
struct LoadState {
  private(set) var status = LoadStatus.notLoaded
  private var retry: LoadRetry

  init(isRemote: Bool) { retry = LoadRetry(isRemote: isRemote) }

  /// Whether it failed and may not the next time.
  var mayRecover: Bool {
    if case .failed = status { retry.isRemote } else { false }
  }

  var isRemote: Bool { retry.isRemote }

  /// What is kept of a former load.
  ///
  /// - Returns: whether it is loaded.
  /// - Throws: why it cannot be loaded.
  fileprivate func known() throws(LayerError) -> Bool {
    switch status {
    case .loaded: return true
    case .failed(let error) where !retry.isDue: throw error
    case .failed, .notLoaded: return false
    }
  }

  fileprivate mutating func succeed() { status = .loaded }

  fileprivate mutating func fail(_ error: LayerError) {
    status = .failed(error)
    retry.fail()
  }
}

extension Layer {
  /// Whether it could not be loaded as another machine was not there, which may be back later.
  package var mayRecover: Bool { (self as? any LoadedOnce)?.loading.mayRecover == true }

  /// Whether loading it waits for another machine.
  package var isRemote: Bool { (self as? any LoadedOnce)?.loading.isRemote == true }
}

/// A layer that is loaded once, and keeps what became of it.
protocol LoadedOnce: AnyObject {
  var loading: LoadState { get set }
}

extension LoadedOnce {
  /// Opens what the layer stands for and keeps it, unless that was done.
  ///
  /// - Parameters:
  ///   - open: may wait for another machine, and another thread may load the layer meanwhile: the first to
  ///     be done counts.
  ///   - keep: does not wait.
  func loadOnce<Opened>(
    _ open: () throws -> Opened, keep: (Opened) throws -> Void
  ) throws(LayerError) {
    if try loading.known() { return }
    do {
      let opened = try open()
      if loading.status == .loaded { return }
      try keep(opened)
      loading.succeed()
    } catch {
      if loading.status == .loaded { return }
      let failure =
        (error as? LayerError)
        ?? LayerError(code: .loadFailed, error)
      // What cancelled work could not load, other work may.
      if !WorkCancellation.isCurrentCancelled { loading.fail(failure) }
      throw failure
    }
  }
}
