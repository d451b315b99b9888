/// A table of ids, stored as bytes and numbered in the order of insertion.
struct IDTable: Sendable {
  private var bytes: [UInt8] = []
  /// The end of each id in `bytes`.
  private var ends: [Int] = []
  /// The hash table of ids. Its size is a power of two.
  private var slots: [Slot] = []

  // The hash is stored with the index, so that ids with other hashes need no lookup in `bytes`.
  private struct Slot {
    /// The id's index; −1 if the slot is free.
    var index: Int32
    var hash: UInt32

    static let free = Slot(index: -1, hash: 0)
  }

  var count: Int { ends.count }
  /// Whether the table is full.
  var isFull: Bool { count >= Int(Int32.max) }

  /// The id's bytes.
  func id(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  func index(of id: UnsafeBufferPointer<UInt8>) -> Int? {
    guard !slots.isEmpty else { return nil }
    return find(id, Self.hash(id)).index
  }

  func index(of id: String) -> Int? {
    var id = id
    return id.withUTF8 { index(of: $0) }
  }

  /// Adds an id, which gets the next number.
  ///
  /// - Precondition: the table is not full.
  /// - Returns: nil, or the number of the id if it already exists.
  mutating func insert(_ id: UnsafeBufferPointer<UInt8>) -> Int? {
    if (count + 1) * 2 > slots.count { grow() }
    let hash = Self.hash(id)
    let (index, slot) = find(id, hash)
    if let index { return index }
    slots[slot] = Slot(index: Int32(truncatingIfNeeded: count), hash: hash)
    bytes.append(contentsOf: id)
    ends.append(bytes.count)
    return nil
  }

  private func find(
    _ id: UnsafeBufferPointer<UInt8>, _ hash: UInt32
  ) -> (index: Int?, slot: Int) {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while slots[slot].index >= 0 {
      let index = Int(slots[slot].index)
      if slots[slot].hash == hash, isEqual(index, id) { return (index, slot) }
      slot = (slot + 1) & mask
    }
    return (nil, slot)
  }

  private func isEqual(_ index: Int, _ id: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = index == 0 ? 0 : ends[index - 1]
    guard ends[index] - start == id.count else { return false }
    for offset in 0..<id.count where bytes[start + offset] != id[offset] { return false }
    return true
  }

  private mutating func grow() {
    let size = max(16, slots.count * 2)
    var larger = [Slot](repeating: .free, count: size)
    for old in slots where old.index >= 0 {
      var slot = Int(old.hash) & (size - 1)
      while larger[slot].index >= 0 { slot = (slot + 1) & (size - 1) }
      larger[slot] = old
    }
    slots = larger
  }

  // The hash is seeded, so that files cannot be crafted to cause collisions. The numbers of ids do
  // not depend on the seed.
  private static func hash(_ id: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(id))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
