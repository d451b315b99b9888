import Synchronization

/// A value that is made when it is first needed, and kept, unless the work that made it was cancelled.
public final class LazyValue<Value: Sendable>: Sendable {
  private enum State: Sendable {
    case pending(@Sendable () -> Value)
    case known(Value)
  }

  private let state: Mutex<State>

  /// A value that `make` gives when it is first needed, once, on the thread that needs it.
  public init(_ make: @escaping @Sendable () -> Value) { state = Mutex(.pending(make)) }

  /// A value that is there already.
  public init(_ value: Value) { state = Mutex(.known(value)) }

  /// The value; threads that ask while it is made wait for it.
  public var value: Value {
    state.withLock { state in
      switch state {
      case .known(let value): return value
      case .pending(let make):
        let value = make()
        // What cancelled work could not find is there for other work.
        if !WorkCancellation.isCurrentCancelled { state = .known(value) }
        return value
      }
    }
  }
}

/// A text, or nil, that is made when somebody first asks for it.
public typealias LazyText = LazyValue<String?>

extension LazyValue where Value == String? {
  /// The text, made when it is first asked for.
  public var text: String? { value }
}
