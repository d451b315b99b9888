/// Numbers of the entities of a feed, in the order in which they first came.
///
/// Two names are one entity when their UTF-8 is the same.
public struct EntityNames: Sendable {
  public private(set) var names: [String] = []
  /// The UTF-8 of all names, one behind the other, and where each ends.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// Numbers by hash, open addressing; −1 is a free place.
  private var slots: [Int32] = [Int32](repeating: -1, count: 16)

  public init() {}

  /// The number of an entity, a new one where the name is new.
  public mutating func number(of name: String) -> Int32 {
    var name = name
    return name.withUTF8 { number(utf8: $0) } ?? 0
  }

  /// The number of an entity whose name is UTF-8, a new one where the name is new; nil when the
  /// bytes are not UTF-8.
  ///
  /// - Complexity: O(*n*) in the bytes, without allocation for a name that is known.
  public mutating func number(utf8 name: UnsafeBufferPointer<UInt8>) -> Int32? {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(name))
    let hash = hasher.finalize()
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let number = slots[slot]
      if holds(name, Int(number)) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    guard let text = String(validating: name, as: UTF8.self) else { return nil }
    let number = Int32(names.count)
    names.append(text)
    bytes.append(contentsOf: name)
    ends.append(bytes.count)
    slots[slot] = number
    if names.count * 2 > slots.count { grow() }
    return number
  }

  /// - Precondition: a number that `number(of:)` gave.
  public subscript(number: Int32) -> String { names[Int(number)] }

  private func range(_ number: Int) -> Range<Int> {
    (number == 0 ? 0 : ends[number - 1])..<ends[number]
  }

  private func holds(_ name: UnsafeBufferPointer<UInt8>, _ number: Int) -> Bool {
    let range = range(number)
    guard range.count == name.count else { return false }
    return bytes.withUnsafeBufferPointer { known in
      for index in 0..<name.count where known[range.lowerBound + index] != name[index] {
        return false
      }
      return true
    }
  }

  private mutating func grow() {
    var larger = [Int32](repeating: -1, count: slots.count * 2)
    for number in names.indices {
      var hasher = Hasher()
      bytes.withUnsafeBytes {
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range(number)]))
      }
      var slot = hasher.finalize() & (larger.count - 1)
      while larger[slot] >= 0 { slot = (slot + 1) & (larger.count - 1) }
      larger[slot] = Int32(number)
    }
    slots = larger
  }
}
