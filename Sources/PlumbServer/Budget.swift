import Synchronization

/// A limited amount of a resource, from which threads take shares.
final class Budget: Sendable {
  private let left: Mutex<Int>

  init(_ total: Int) { left = Mutex(total) }

  /// Takes an amount if it is available, and returns whether it was taken.
  func reserve(_ amount: Int) -> Bool {
    left.withLock { left in
      guard left >= amount else { return false }
      left -= amount
      return true
    }
  }

  func release(_ amount: Int) { left.withLock { $0 += amount } }
}

/// One unit taken from a budget. The unit goes back to the budget when `end` is called or the
/// instance is deallocated.
final class BudgetShare: Sendable {
  private let budget: Budget
  private let isReserved = Mutex(true)

  /// Returns nil if the budget is exhausted.
  init?(of budget: Budget) {
    guard budget.reserve(1) else { return nil }
    self.budget = budget
  }

  deinit { end() }

  func end() {
    let wasReserved = isReserved.withLock { reserved in
      defer { reserved = false }
      return reserved
    }
    if wasReserved { budget.release(1) }
  }
}
