/// Sorts the entries of a distribution by value.
struct EntrySort: Sendable {
  typealias Entry = ZonalDistribution.Entry

  private var scratch: [Entry] = []
  private var histogram: [UInt32] = []

  private static let digitBits = 11
  /// The number of entries below which a comparison sort is faster.
  private static let leastCount = 200

  /// Sorts entries in ascending order, by a radix sort from the lowest digit in which two values differ.
  ///
  /// - Complexity: O(n · bits in which the values differ).
  mutating func sort(_ entries: inout [Entry]) {
    guard entries.count >= Self.leastCount else { return entries.sort { $0.value < $1.value } }
    let first = Self.key(entries[0].value)
    var (different, previous, isSorted) = (UInt64(0), first, true)
    for entry in entries {
      let key = Self.key(entry.value)
      different |= key ^ first
      isSorted = isSorted && previous <= key
      previous = key
    }
    if isSorted { return }
    if scratch.count < entries.count {
      scratch = Array(repeating: Entry(value: 0, weight: 0), count: entries.count)
    }
    if histogram.isEmpty { histogram = Array(repeating: 0, count: 1 << Self.digitBits) }
    let count = entries.count
    entries.withUnsafeMutableBufferPointer { entries in
      scratch.withUnsafeMutableBufferPointer { scratch in
        histogram.withUnsafeMutableBufferPointer { histogram in
          guard let own = entries.baseAddress, let other = scratch.baseAddress,
            let positions = histogram.baseAddress
          else { return }
          var (from, to) = (own, other)
          var shift = UInt64(different.trailingZeroBitCount)
          while shift < 64, different >> shift != 0 {
            Self.scatter(from, to, count: count, shift: shift, positions)
            swap(&from, &to)
            shift += UInt64(Self.digitBits)
          }
          if from != own { own.update(from: from, count: count) }
        }
      }
    }
  }

  /// Sorts entries by one digit; entries with equal digits keep their order.
  private static func scatter(
    _ from: UnsafeMutablePointer<Entry>, _ to: UnsafeMutablePointer<Entry>, count: Int,
    shift: UInt64, _ positions: UnsafeMutablePointer<UInt32>
  ) {
    let digits = 1 << digitBits
    let mask = UInt64(digits - 1)
    positions.update(repeating: 0, count: digits)
    for index in 0..<count { positions[Int(key(from[index].value) >> shift & mask)] &+= 1 }
    var position: UInt32 = 0
    for digit in 0..<digits {
      let amount = positions[digit]
      positions[digit] = position
      position &+= amount
    }
    for index in 0..<count {
      let entry = from[index]
      let digit = Int(key(entry.value) >> shift & mask)
      to[Int(positions[digit])] = entry
      positions[digit] &+= 1
    }
  }

  /// The integer key of a value. The order of keys is the order of their values.
  @inline(__always)
  private static func key(_ value: Double) -> UInt64 {
    let bits = value.bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }
}
