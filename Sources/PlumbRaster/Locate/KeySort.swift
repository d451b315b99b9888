import PlumbCore

/// Sorts keys in ascending order, each with its index in the input. The sort is a stable radix sort
/// that begins with the lowest digit.
package struct KeySort {
  package struct Item: BitwiseCopyable {
    package var key: UInt64
    package var index: UInt32
  }

  /// The sorted items, followed by unused capacity.
  package let items: TrivialBuffer<Item>
  package let count: Int

  private static let digitBits = 11
  private static var digitCount: Int { 1 << digitBits }

  /// - Parameter hole: the key that is omitted.
  /// - Complexity: O(`count` · bits of the largest key).
  package init(
    _ keys: TrivialBuffer<UInt64>, count: Int, leavingOut hole: UInt64, workers: Workers
  ) {
    var items = TrivialBuffer<Item>(count: count)
    var present = 0
    var bits: UInt64 = 0
    for i in 0..<count where keys.base[i] != hole {
      items.base[present] = Item(key: keys.base[i], index: UInt32(truncatingIfNeeded: i))
      present += 1
      bits |= keys.base[i]
    }
    var other = TrivialBuffer<Item>(count: present)
    var shift = 0
    while shift < UInt64.bitWidth, bits >> UInt64(shift) != 0 {
      Self.scatter(items, into: other, count: present, shift: UInt64(shift), workers)
      swap(&items, &other)
      shift += Self.digitBits
    }
    self.items = items
    self.count = present
  }

  /// Performs one pass: a counting sort by one digit, in which each worker processes its own range.
  private static func scatter(
    _ items: TrivialBuffer<Item>, into other: TrivialBuffer<Item>, count: Int, shift: UInt64,
    _ workers: Workers
  ) {
    let ranges = count < 1 << 15 ? 1 : workers.count
    let size = (count + ranges - 1) / ranges
    let digitCount = digitCount
    let mask = UInt64(digitCount - 1)
    @Sendable func range(_ number: Int) -> Range<Int> {
      min(count, number * size)..<min(count, (number + 1) * size)
    }
    let histogram = TrivialBuffer<UInt32>(count: digitCount * ranges, zeroed: true)
    workers.run(ranges) { _, number in
      let counts = histogram.base + number * digitCount
      let items = items.base
      for i in range(number) { counts[Int(items[i].key >> shift & mask)] &+= 1 }
    }
    var position: UInt32 = 0
    for digit in 0..<digitCount {
      for number in 0..<ranges {
        let slot = number * digitCount + digit
        let amount = histogram.base[slot]
        histogram.base[slot] = position
        position &+= amount
      }
    }
    workers.run(ranges) { _, number in
      let next = histogram.base + number * digitCount
      let (items, other) = (items.base, other.base)
      for i in range(number) {
        let digit = Int(items[i].key >> shift & mask)
        other[Int(next[digit])] = items[i]
        next[digit] &+= 1
      }
    }
  }
}
