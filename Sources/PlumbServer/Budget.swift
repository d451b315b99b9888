import Synchronization

/// How much of something there may be at once.
final class Budget: Sendable {
  private let left: Mutex<Int>

  init(_ whole: Int) { left = Mutex(whole) }

  /// Whether so much was left, which is taken then.
  func take(_ amount: Int) -> Bool {
    left.withLock { left in
      guard left >= amount else { return false }
      left -= amount
      return true
    }
  }

  func give(_ amount: Int) { left.withLock { $0 += amount } }
}

/// One of a budget that was taken, given back once: at its end, or where nobody holds it any more.
final class BudgetShare: Sendable {
  private let budget: Budget
  private let isHeld = Mutex(true)

  /// Nil where nothing is left.
  init?(of budget: Budget) {
    guard budget.take(1) else { return nil }
    self.budget = budget
  }

  deinit { end() }

  func end() {
    let wasHeld = isHeld.withLock { held in
      defer { held = false }
      return held
    }
    if wasHeld { budget.give(1) }
  }
}
