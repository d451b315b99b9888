/// Allocates numbers for the entities of a feed, in the order of first occurrence.
///
/// Two names denote the same entity if their UTF-8 bytes are the same. A released number is reused
/// for the next new name.
public struct EntityNames: Sendable {
  /// The names by number; empty for a released number.
  public private(set) var names: [String] = []
  /// The UTF-8 bytes of all names.
  private var bytes: [UInt8] = []
  /// The range of each name in `bytes`; nil for a released number.
  private var ranges: [Range<Int>?] = []
  private var free: [Int32] = []
  /// The slots of the hash table, which uses open addressing. A slot contains an entity's number,
  /// or −1 if it is free.
  private var slots: [Int32] = [Int32](repeating: -1, count: 16)

  /// Creates an empty table.
  public init() {}

  /// Returns the number of an entity, and allocates a number for a new name.
  public mutating func number(of name: String) -> Int32 {
    var name = name
    return name.withUTF8 { unsafe number(utf8: $0) } ?? 0
  }

  /// Returns the number of an entity whose name is given in UTF-8, and allocates a number for a new
  /// name. Returns nil if the bytes are not UTF-8.
  ///
  /// - Complexity: O(*n*) in the number of bytes. A known name requires no allocation.
  public mutating func number(utf8 name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var hasher = Hasher()
    unsafe hasher.combine(bytes: UnsafeRawBufferPointer(name))
    let hash = hasher.finalize()
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let number = slots[slot]
      if unsafe holds(name, Int(number)) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    guard let text = unsafe String(validating: name, as: UTF8.self) else { return nil }
    let range = bytes.count..<bytes.count + name.count
    unsafe bytes.append(contentsOf: name)
    let number = free.popLast() ?? Int32(names.count)
    if Int(number) == names.count {
      names.append(text)
      ranges.append(range)
    } else {
      names[Int(number)] = text
      ranges[Int(number)] = range
    }
    slots[slot] = number
    if names.count * 2 > slots.count { rebuild(slots.count * 2) }
    return number
  }

  /// Returns the number of a known entity; nil if the entity is unknown.
  package func known(_ name: String) -> Int32? {
    var name = name
    return name.withUTF8 { bytes in
      var hasher = Hasher()
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
      var slot = hasher.finalize() & (slots.count - 1)
      while slots[slot] >= 0 {
        if unsafe holds(bytes, Int(slots[slot])) { return slots[slot] }
        slot = (slot + 1) & (slots.count - 1)
      }
      return nil
    }
  }

  /// Releases the names of entities. This keeps the memory proportional to the number of current
  /// entities when the entities of a feed change. Numbers without a name are ignored.
  ///
  /// - Complexity: O(*n*) in the size of all names.
  public mutating func release(_ numbers: [Int32]) {
    for number in numbers where names.indices.contains(Int(number)) {
      guard ranges[Int(number)] != nil else { continue }
      names[Int(number)] = ""
      ranges[Int(number)] = nil
      free.append(number)
    }
    var kept: [UInt8] = []
    for number in names.indices {
      guard let range = ranges[number] else { continue }
      ranges[number] = kept.count..<kept.count + range.count
      kept.append(contentsOf: bytes[range])
    }
    bytes = kept
    rebuild(slots.count)
  }

  /// The name of an entity.
  ///
  /// - Precondition: `number` was returned by `number(of:)`.
  public subscript(number: Int32) -> String { names[Int(number)] }

  private func holds(_ name: UnsafeBufferPointer<UInt8>, _ number: Int) -> Bool {
    guard let range = ranges[number], range.count == name.count else { return false }
    return unsafe bytes.withUnsafeBufferPointer { known in
      for index in 0..<name.count where unsafe known[range.lowerBound + index] != name[index] {
        return false
      }
      return true
    }
  }

  private mutating func rebuild(_ count: Int) {
    var positions = [Int32](repeating: -1, count: count)
    for number in names.indices {
      guard let range = ranges[number] else { continue }
      var hasher = Hasher()
      unsafe bytes.withUnsafeBytes {
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
      }
      var slot = hasher.finalize() & (count - 1)
      while positions[slot] >= 0 { slot = (slot + 1) & (count - 1) }
      positions[slot] = Int32(number)
    }
    slots = positions
  }
}
