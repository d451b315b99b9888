import Synchronization

/// The values of a few recently added keys, for use by any number of threads.
package final class RecentValues<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  /// The values, with the most recently added one at the end.
  private let list = Mutex<[(key: Key, value: Value)]>([])
  private let limit: Int

  /// - Parameter limit: the largest number of values.
  package init(limit: Int) { self.limit = limit }

  /// Returns the value of a key, which is added if it is missing.
  ///
  /// - Parameter make: creates the value. Several threads may create a value of the same key at the same
  ///   time; all of them receive the one that is added first.
  /// - Throws: the error of `make`, or `CancellationError` for cancelled work.
  package func value(of key: Key, make: () throws -> Value) throws -> Value {
    if let known = list.withLock({ list in list.first { $0.key == key }?.value }) { return known }
    let made = try make()
    try WorkCancellation.checkCurrent()
    return list.withLock { list in
      if let other = list.first(where: { $0.key == key }) { return other.value }
      if list.count >= limit { list.removeFirst() }
      list.append((key, made))
      return made
    }
  }
}
