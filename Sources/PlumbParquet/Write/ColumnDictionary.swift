import PlumbCore

/// The dictionary encoding of a column's first values: the distinct values, and the index of each
/// value among the distinct values.
struct ColumnDictionary {
  /// The distinct values in Parquet's plain encoding.
  private(set) var entries: [UInt8] = []
  private(set) var entryCount = 0
  /// For each value in order, its index among the distinct values.
  private(set) var indices: [UInt32] = []
  /// Whether the dictionary contains all values of the column.
  var isComplete: Bool { indices.count == valueCount }
  private let valueCount: Int
  private let byteLimit: Int

  /// - Parameter byteLimit: the size at which the dictionary ends; later values have no index.
  /// - Returns: nil if a dictionary would take more bytes than the values themselves.
  init?(_ column: ColumnBuffer, byteLimit: Int) {
    guard column.valueCount > 0, column.leaf.type != .boolean else { return nil }
    (valueCount, self.byteLimit) = (column.valueCount, byteLimit)
    indices.reserveCapacity(valueCount)
    column.bytes.withUnsafeBytes { bytes in
      switch column.leaf.type {
      case .int32, .float: index(bytes.bindMemory(to: UInt32.self))
      case .int64, .double: index(bytes.bindMemory(to: UInt64.self))
      case .fixed(let width): index(bytes, count: valueCount) { $0 * width..<($0 + 1) * width }
      case .byteArray:
        column.ends.withUnsafeBufferPointer { ends in
          index(bytes, count: ends.count) { ($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0] }
        }
      case .boolean: break
      }
    }
    let covered = column.byteCount(ofFirst: indices.count)
    guard entries.count + (indices.count * width + 7) / 8 < covered else { return nil }
  }

  /// The number of bits of an index.
  var width: Int {
    entryCount <= 1 ? 1 : UInt32.bitWidth - UInt32(entryCount - 1).leadingZeroBitCount
  }

  // MARK: Indices

  /// Finds the distinct values among numbers, which are compared by their bits.
  private mutating func index<Word: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Word>
  ) {
    if Self.areMostlyDistinct(values) { return }
    let limit = max(1, byteLimit / MemoryLayout<Word>.size)
    var table = NumberTable<Word>(limit: limit)
    indices = [UInt32](unsafeUninitializedCapacity: values.count) { target, filled in
      var (last, lastIndex) = (Word.zero, UInt32.max)
      for value in values {
        if value != last || lastIndex == .max {
          guard let index = table.index(of: value) else { break }
          (last, lastIndex) = (value, index)
        }
        target[filled] = lastIndex
        filled += 1
      }
    }
    entryCount = table.count
    entries = table.entries
  }

  /// Whether nearly all numbers of a sample are distinct, so that a dictionary would not take fewer bytes than
  /// the numbers. The sample consists of blocks, because equal numbers are often close to each other.
  private static func areMostlyDistinct<Word: FixedWidthInteger & BitwiseCopyable>(
    _ values: UnsafeBufferPointer<Word>
  ) -> Bool {
    let (blocks, length) = (64, 64)
    guard values.count >= 4 * blocks * length else { return false }
    var table = NumberTable<Word>(limit: blocks * length)
    for block in 0..<blocks {
      let start = block * (values.count / blocks)
      for value in values[start..<start + length] { _ = table.index(of: value) }
    }
    return table.count > blocks * length * 99 / 100
  }

  /// A hash table of distinct numbers and their indices in order of first appearance.
  private struct NumberTable<Word: FixedWidthInteger & BitwiseCopyable> {
    private(set) var count = 0
    private let limit: Int
    /// The distinct numbers.
    private var numbers = TrivialBuffer<Word>(count: 1 << 9)
    /// 0, or the index of a number plus 1.
    private var slots = TrivialBuffer<UInt32>(count: 1 << 10, zeroed: true)
    private var shift = UInt64(64 - 10)

    init(limit: Int) { self.limit = limit }

    var entries: [UInt8] {
      Array(UnsafeRawBufferPointer(start: numbers.base, count: count * MemoryLayout<Word>.size))
    }

    /// The index of a number, which is added if it is new; nil if it is new and the table already
    /// has `limit` numbers.
    @inline(__always)
    mutating func index(of number: Word) -> UInt32? {
      let slot = slot(of: number)
      if slots.base[slot] != 0 { return slots.base[slot] - 1 }
      if count == limit { return nil }
      if count == numbers.count { grow() }
      numbers.base[count] = number
      count += 1
      slots.base[self.slot(of: number)] = UInt32(truncatingIfNeeded: count)
      return UInt32(truncatingIfNeeded: count - 1)
    }

    /// The slot that contains a number, or in which it belongs.
    @inline(__always)
    private func slot(of number: Word) -> Int {
      let mask = slots.count - 1
      let hash = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
      var slot = Int(truncatingIfNeeded: (hash ^ hash << 32) >> shift)
      while slots.base[slot] != 0, numbers.base[Int(slots.base[slot] - 1)] != number {
        slot = (slot + 1) & mask
      }
      return slot
    }

    /// Doubles the table. At least half of its slots are always empty.
    private mutating func grow() {
      let old = numbers
      numbers = TrivialBuffer(count: 2 * old.count)
      numbers.base.update(from: old.base, count: count)
      slots = TrivialBuffer(count: 2 * slots.count, zeroed: true)
      shift -= 1
      for index in 0..<count {
        slots.base[slot(of: numbers.base[index])] = UInt32(truncatingIfNeeded: index + 1)
      }
    }
  }

  /// Finds the distinct values among values of several bytes.
  private mutating func index(
    _ bytes: UnsafeRawBufferPointer, count: Int, _ range: (Int) -> Range<Int>
  ) {
    var slots = [UInt32](repeating: 0, count: 1 << 10)
    var hashes: [UInt64] = []
    var places: [Range<Int>] = []
    for number in 0..<count {
      let place = range(number)
      if let last = indices.last, Self.isEqual(bytes, place, places[Int(last)]) {
        indices.append(last)
        continue
      }
      let hash = Self.hash(UnsafeRawBufferPointer(rebasing: bytes[place]))
      var mask = slots.count - 1
      var slot = Int(truncatingIfNeeded: hash) & mask
      while slots[slot] != 0,
        hashes[Int(slots[slot] - 1)] != hash
          || !Self.isEqual(bytes, place, places[Int(slots[slot] - 1)])
      {
        slot = (slot + 1) & mask
      }
      if slots[slot] != 0 {
        indices.append(slots[slot] - 1)
        continue
      }
      if entries.count + place.count > byteLimit { break }
      entries.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[place]))
      places.append(place)
      hashes.append(hash)
      slots[slot] = UInt32(places.count)
      indices.append(UInt32(places.count - 1))
      if places.count * 2 > slots.count {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        mask = slots.count - 1
        for (index, hash) in hashes.enumerated() {
          var slot = Int(truncatingIfNeeded: hash) & mask
          while slots[slot] != 0 { slot = (slot + 1) & mask }
          slots[slot] = UInt32(index + 1)
        }
      }
    }
    entryCount = places.count
  }

  private static func isEqual(
    _ bytes: UnsafeRawBufferPointer, _ first: Range<Int>, _ second: Range<Int>
  ) -> Bool {
    guard first.count == second.count else { return false }
    var (a, b) = (first.lowerBound, second.lowerBound)
    while first.upperBound - a >= 8 {
      if bytes.loadUnaligned(fromByteOffset: a, as: UInt64.self)
        != bytes.loadUnaligned(fromByteOffset: b, as: UInt64.self)
      {
        return false
      }
      a += 8
      b += 8
    }
    while a < first.upperBound {
      if bytes[a] != bytes[b] { return false }
      a += 1
      b += 1
    }
    return true
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
    func mix(_ word: UInt64) {
      let (high, low) = (hash ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
      hash = high ^ low &+ 0x9E37_79B9_7F4A_7C15
    }
    var position = 0
    while bytes.count - position >= 8 {
      mix(bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    var rest: UInt64 = 0
    while position < bytes.count {
      rest = rest << 8 | UInt64(bytes[position])
      position += 1
    }
    mix(rest)
    return hash ^ hash >> 32
  }
}

extension ColumnBuffer {
  /// The bytes of the first values in plain encoding.
  func byteCount(ofFirst count: Int) -> Int {
    if count == 0 { return 0 }
    return leaf.type.width.map { $0 * count } ?? ends[count - 1]
  }
}
