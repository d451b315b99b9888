import PlumbCore

/// Decides when a layer that failed to load is loaded again. A remote layer is loaded again after a
/// few seconds, a local layer never.
struct LoadRetry {
  let isRemote: Bool
  private var failure: ContinuousClock.Instant?
  static let interval = Duration.seconds(5)

  init(isRemote: Bool) { self.isRemote = isRemote }

  /// Whether the failure is old enough for a retry.
  var isDue: Bool {
    isRemote && failure.map { ContinuousClock.now - $0 > Self.interval } ?? false
  }

  mutating func fail() { failure = ContinuousClock.now }
}

/// The state of loading a layer and its retries.
struct LoadState {
  private(set) var status = LoadStatus.notLoaded
  private var retry: LoadRetry

  init(isRemote: Bool) { retry = LoadRetry(isRemote: isRemote) }

  /// Whether loading failed but may succeed later.
  var mayRecover: Bool {
    if case .failed = status { retry.isRemote } else { false }
  }

  var isRemote: Bool { retry.isRemote }

  /// Returns the result of an earlier load.
  ///
  /// - Returns: whether the layer is loaded.
  /// - Throws: the failure, unless a retry is due.
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
  /// Whether loading failed because a remote server was unavailable, so that a retry may succeed.
  package var mayRecover: Bool { (self as? any LoadedOnce)?.loading.mayRecover == true }

  /// Whether loading may wait for a remote server.
  package var isRemote: Bool { (self as? any LoadedOnce)?.loading.isRemote == true }
}

/// A layer that is loaded once and keeps the result.
protocol LoadedOnce: AnyObject {
  var loading: LoadState { get set }
}

extension LoadedOnce {
  /// Opens and keeps the layer's source; does nothing if the layer is loaded.
  ///
  /// - Parameters:
  ///   - open: opens the source. While `open` waits for a remote server, another thread may load the layer;
  ///     the source that is opened first is used.
  ///   - keep: stores the opened source, without waiting.
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
      // Do not keep the failure of cancelled work, because other work may load the layer.
      if !WorkCancellation.isCurrentCancelled { loading.fail(failure) }
      throw failure
    }
  }
}
