import Synchronization

/// A text that is made when somebody first asks for it, and kept.
public final class LazyText: Sendable {
  private enum State: Sendable {
    case pending(@Sendable () -> String?)
    case known(String?)
  }

  private let state: Mutex<State>

  public init(_ make: @escaping @Sendable () -> String?) { state = Mutex(.pending(make)) }

  public init(_ text: String?) { state = Mutex(.known(text)) }

  public var text: String? {
    state.withLock { state in
      switch state {
      case .known(let text): return text
      case .pending(let make):
        let text = make()
        state = .known(text)
        return text
      }
    }
  }
}
