import Synchronization

/// A value that is computed on first use, and kept unless the work that computed it was cancelled.
public final class LazyValue<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case pending(@Sendable () -> Value)
    case known(Value)
  }

  private let state: Mutex<State>

  /// A value that `make` computes once, on first use, on the calling thread.
  public init(_ make: @escaping @Sendable () -> Value) { state = Mutex(.pending(make)) }

  /// A value that is already known.
  public init(_ value: Value) { state = Mutex(.known(value)) }

  /// The value; other threads wait while it is computed.
  public var value: Value {
    state.withLock { state in
      switch state {
      case .known(let value): return value
      case .pending(let make):
        let value = make()
        // The result of cancelled work may be incomplete, so the next use computes it again.
        if !WorkCancellation.isCurrentCancelled { state = .known(value) }
        return value
      }
    }
  }
}

/// Text, or nil, that is computed on first use.
public typealias LazyText = LazyValue<String?>

extension LazyValue where Value == String? {
  /// The text, computed on first use.
  public var text: String? { value }
}
