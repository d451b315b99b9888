import PlumbCore

/// The points in each tile, computed once per batch and used for all bands and for all rasters with
/// the same grid.
public struct LocationPlan: Sendable {
  /// A range of `entries` in the same tile.
  public struct Group: Sendable {
    /// The tile of the group's points.
    public var key: UInt64
    /// The index in `entries` of the group's first point.
    public var start: Int
    /// The index in `entries` after the group's last point.
    public var end: Int
  }

  /// The key of a point that is not in any tile.
  public static let noKey = UInt64.max

  /// The points, by group; points that are not in any tile are omitted.
  public let entries: TrivialBuffer<PlanEntry>
  /// The groups, by ascending key.
  public let groups: [Group]

  /// The entries of one group, valid for the lifetime of the plan.
  public func entries(of group: Group) -> UnsafeBufferPointer<PlanEntry> {
    UnsafeBufferPointer(start: entries.base + group.start, count: group.end - group.start)
  }

  /// Groups points by key. The groups are in ascending order of their keys. The points of a group
  /// are in the order of the input.
  ///
  /// - Parameters:
  ///   - keys: the tile of each point, or `noKey`.
  ///   - offsets: the offset of each point's cell in its tile, in cells.
  ///   - count: the number of points.
  ///   - keyLimit: an exclusive upper bound of all keys except `noKey`.
  ///   - firstIndex: the entry index of the first point.
  ///   - workers: the threads that share the work.
  /// - Complexity: O(`count` + `keyLimit`) if there are few keys relative to the number of points,
  ///   otherwise O(`count` · bits of the largest key).
  public init(
    keys: TrivialBuffer<UInt64>, offsets: TrivialBuffer<UInt32>, count: Int, keyLimit: Int,
    firstIndex: Int, workers: Workers
  ) {
    self.init(
      keys: keys, offsets: offsets, indices: nil, count: count, keyLimit: keyLimit,
      firstIndex: firstIndex, workers: workers)
  }

  /// Groups points that have explicit entry indices.
  init(
    keys: TrivialBuffer<UInt64>, offsets: TrivialBuffer<UInt32>, indices: TrivialBuffer<UInt32>?,
    count: Int, keyLimit: Int, firstIndex: Int, workers: Workers
  ) {
    if keyLimit <= max(4 * count, 1 << 16), keyLimit <= 1 << 22 {
      self.init(
        counting: keys, offsets: offsets, indices: indices, count: count, keyLimit: keyLimit,
        firstIndex: firstIndex, workers: workers)
    } else {
      let sorted = KeySort(keys, count: count, leavingOut: Self.noKey, workers: workers)
      self.init(sorted, offsets: offsets, indices: indices, firstIndex: firstIndex)
    }
  }

  /// Groups points with a counting sort in which each worker counts its own range.
  private init(
    counting keys: TrivialBuffer<UInt64>, offsets: TrivialBuffer<UInt32>,
    indices: TrivialBuffer<UInt32>?, count: Int, keyLimit: Int, firstIndex: Int, workers: Workers
  ) {
    let ranges = count < 1 << 15 ? 1 : workers.count
    let size = (count + ranges - 1) / max(1, ranges)
    @Sendable func range(_ number: Int) -> Range<Int> {
      min(count, number * size)..<min(count, (number + 1) * size)
    }
    let histogram = TrivialBuffer<UInt32>(count: keyLimit * ranges, zeroed: true)
    workers.run(ranges) { _, number in
      let counts = histogram.base + number * keyLimit
      let keys = keys.base
      for i in range(number) where keys[i] != Self.noKey { counts[Int(keys[i])] &+= 1 }
    }
    var groups: [Group] = []
    var position = 0
    for key in 0..<keyLimit {
      let start = position
      for number in 0..<ranges {
        let slot = number * keyLimit + key
        let amount = Int(histogram.base[slot])
        histogram.base[slot] = UInt32(truncatingIfNeeded: position)
        position += amount
      }
      if position > start { groups.append(Group(key: UInt64(key), start: start, end: position)) }
    }
    let entries = TrivialBuffer<PlanEntry>(count: position)
    workers.run(ranges) { _, number in
      let next = histogram.base + number * keyLimit
      let (keys, offsets, entries) = (keys.base, offsets.base, entries.base)
      let indices = indices?.base
      for i in range(number) where keys[i] != Self.noKey {
        let slot = Int(next[Int(keys[i])])
        next[Int(keys[i])] &+= 1
        entries[slot] = PlanEntry(
          offset: offsets[i],
          index: indices?[i] ?? UInt32(truncatingIfNeeded: firstIndex &+ i))
      }
    }
    self.entries = entries
    self.groups = groups
  }

  /// Groups sorted points, for few points in many tiles.
  private init(
    _ sorted: KeySort, offsets: TrivialBuffer<UInt32>, indices: TrivialBuffer<UInt32>?,
    firstIndex: Int
  ) {
    let entries = TrivialBuffer<PlanEntry>(count: sorted.count)
    var groups: [Group] = []
    for position in 0..<sorted.count {
      let item = sorted.items.base[position]
      let i = Int(item.index)
      entries.base[position] = PlanEntry(
        offset: offsets.base[i],
        index: indices?.base[i] ?? UInt32(truncatingIfNeeded: firstIndex &+ i))
      if groups.last?.key != item.key {
        groups.append(Group(key: item.key, start: position, end: position))
      }
      groups[groups.count - 1].end = position + 1
    }
    self.entries = entries
    self.groups = groups
  }
}

/// One point in a tile: the offset of its cell and its index in the batch.
@frozen
public struct PlanEntry: BitwiseCopyable, Sendable {
  /// The offset of the point's cell in its tile, in cells.
  public var offset: UInt32
  /// The index of the point in the batch.
  public var index: UInt32

  /// Creates the entry of a point.
  @inlinable
  public init(offset: UInt32, index: UInt32) {
    self.offset = offset
    self.index = index
  }
}
