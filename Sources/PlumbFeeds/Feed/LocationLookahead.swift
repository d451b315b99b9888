import PlumbGeotriggers

/// Finds outliers in a file. The time of an outlier is so far ahead that the next locations of the same
/// entity have earlier times.
/// If such a location were used, all following locations would be late.
///
/// A location is an outlier when most of its entity's next five locations are older by more than
/// the limit. Fewer than five locations are compared if this batch and the next batch contain
/// fewer. A location after a pause of any length is not an outlier, because the times after it are
/// not earlier. A location before a single late location is not an outlier either.
struct LocationLookahead {
  /// The limit in milliseconds.
  let limit: Int64
  /// The batch that has been read ahead, but not returned.
  var pending: LocationBatch?

  private static let depth = 5

  init(limit: Int64) { self.limit = limit }

  /// The times of an entity's next locations, in a ring buffer.
  fileprivate struct Times {
    private var times = SIMD8<Int64>()
    private var count = 0
    private var next = 0

    func goBack(from time: Int64, by limit: Int64) -> Bool {
      var earlier = 0
      for index in 0..<count where LocationLookahead.isAhead(time, of: times[index], by: limit) {
        earlier += 1
      }
      return earlier * 2 > count
    }

    mutating func add(_ time: Int64) {
      times[next] = time
      next = next + 1 == LocationLookahead.depth ? 0 : next + 1
      count = min(count + 1, LocationLookahead.depth)
    }
  }

  private static func isAhead(_ time: Int64, of other: Int64, by limit: Int64) -> Bool {
    let (difference, isOver) = time.subtractingReportingOverflow(other)
    return isOver ? time > other : difference > limit
  }

  /// The rows of a batch that are outliers, ascending.
  ///
  /// - Parameter following: the next batch of the feed; nil at its end.
  func outliers(of batch: LocationBatch, following: LocationBatch?) -> [Int] {
    var ahead: [Int32: Times] = [:]
    if let following {
      for row in (0..<following.count).reversed() {
        ahead[following.entity[row], default: Times()].add(following.time[row])
      }
    }
    var rows: [Int] = []
    for row in (0..<batch.count).reversed() {
      let time = batch.time[row]
      if ahead[batch.entity[row], default: Times()].isOutlier(time, limit) { rows.append(row) }
    }
    return rows.reversed()
  }
}

extension LocationLookahead.Times {
  /// Returns whether a location is an outlier relative to the entity's next locations, whose times are in
  /// the buffer. Adds the location's time to the buffer.
  fileprivate mutating func isOutlier(_ time: Int64, _ limit: Int64) -> Bool {
    defer { add(time) }
    return goBack(from: time, by: limit)
  }
}
