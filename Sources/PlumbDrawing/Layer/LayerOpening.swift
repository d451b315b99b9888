import PlumbCore
import PlumbLayers

/// Opens the layers of a map on another thread while the view is prepared, and then prepares the layers while
/// the layers below are drawn.
///
/// One thread does both. This thread is started before the other work, because while a thread loads GDAL, no
/// other library can be loaded and no thread can be started.
package final class LayerOpening {
  private enum State: Sendable {
    case opening
    case preparing(LayerPreparation)
    case ending
    case ended
  }

  private let state = WaitableState(State.opening)

  /// Starts the thread.
  package init(_ map: Map) {
    let cancellation = WorkCancellation.current
    let isStarted = Workers.detach { [state] in
      WorkCancellation.with(cancellation) { Self.run(map, state) }
      state.change { $0 = .ended }
    }
    if !isStarted { state.change { $0 = .ended } }
  }

  deinit { finish() }

  /// Whether the thread has ended.
  var isFinished: Bool {
    state.withLock { state in
      if case .ended = state { return true }
      return false
    }
  }

  /// Prepares the layers above the lowest layer, which is needed immediately.
  func prepare(_ preparation: LayerPreparation) {
    state.change { if case .opening = $0 { $0 = .preparing(preparation) } }
  }

  /// Waits for the end of the thread.
  package func finish() {
    state.change { if case .opening = $0 { $0 = .ending } }
    state.wait { state -> Void? in
      if case .ended = state { return () }
      return nil
    }
  }

  private static func run(_ map: Map, _ state: WaitableState<State>) {
    open(map)
    let preparation = state.wait { state -> LayerPreparation?? in
      switch state {
      case .opening: return nil
      case .preparing(let preparation): return .some(preparation)
      case .ending, .ended: return .some(nil)
      }
    }
    guard let preparation else { return }
    for layer in map.layers.dropFirst() { preparation.prepare(layer, of: map) }
  }

  /// Opens the layers that are visible at all scales. Remote layers are opened when they are drawn.
  private static func open(_ map: Map) {
    for layer in map.layers where !WorkCancellation.isCurrentCancelled {
      map.withLock {
        guard !layer.isRemote, layer.isVisible, layer.properties.scaleRange == ScaleRange() else {
          return
        }
        // Errors are reported when the layer is drawn.
        try? layer.load()
      }
    }
  }
}
