import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Finds elements by source and global id and stores their order.
///
/// Element numbers count the junctions first, then the edges.
struct ElementIndex: Sendable {
  /// The slots of the hash table, each with an element number; all bits of an empty slot are 1.
  private let slots: TrivialBuffer<UInt32>
  /// The elements in element order.
  let order: TrivialBuffer<UInt32>
  /// The position of each element in `order`.
  let ranks: TrivialBuffer<UInt32>

  /// - Throws: `duplicateIdentifier` with the feature's name.
  init(
    _ junctions: FeatureColumns, _ edges: FeatureColumns, _ catalog: TypeCatalog,
    _ faults: inout AssemblyFaults
  ) throws(NetworkError) {
    let count = junctions.count + edges.count
    guard count < 1 << 29 else { throw NetworkError(.tooLarge, "\(count) features are too many") }
    var size = 16
    while size < count * 2 { size *= 2 }
    let slots = TrivialBuffer<UInt32>(count: size)
    self.slots = slots
    unsafe slots.base.update(repeating: .max, count: size)
    let view = ElementIdentifiers(junctions: junctions, edges: edges, catalog: catalog)
    for element in 0..<count {
      let source = view.source(element)
      let duplicate = unsafe view.withBytes(element) { bytes -> Bool in
        var slot = unsafe Self.hash(source, bytes) & (size - 1)
        while unsafe slots.base[slot] != .max {
          if unsafe view.equals(Int(slots.base[slot]), source, bytes) { return true }
          slot = (slot + 1) & (size - 1)
        }
        unsafe slots.base[slot] = UInt32(truncatingIfNeeded: element)
        return false
      }
      if duplicate {
        try faults.note(
          .duplicate,
          NetworkError(.duplicateIdentifier, "\(view.name(element)): duplicate id"))
      }
    }
    order = view.sorted(count)
    ranks = TrivialBuffer(count: count)
    for rank in 0..<order.count {
      let element = unsafe order.base[rank]
      unsafe ranks.base[Int(element)] = UInt32(truncatingIfNeeded: rank)
    }
  }

  func find(_ source: Int, _ globalID: String, _ view: ElementIdentifiers) -> Int? {
    var globalID = globalID
    return globalID.withUTF8 { bytes in
      var slot = unsafe Self.hash(source, bytes) & (slots.count - 1)
      while unsafe slots.base[slot] != .max {
        let element = unsafe Int(slots.base[slot])
        if unsafe view.equals(element, source, bytes) { return element }
        slot = (slot + 1) & (slots.count - 1)
      }
      return nil
    }
  }

  private static func hash(_ source: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var state = UInt64(truncatingIfNeeded: source) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
    var index = 0
    while index < bytes.count {
      var word: UInt64 = 0
      let length = min(8, bytes.count - index)
      if let base = bytes.baseAddress { unsafe memcpy(&word, base + index, length) }
      state = (state ^ word) &* 0xBF58_476D_1CE4_E5B9
      state ^= state >> 29
      index += 8
    }
    state = (state ^ state >> 32) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (state ^ state >> 31) >> 1)
  }
}

/// The names of elements.
struct ElementIdentifiers: Sendable {
  let junctions: FeatureColumns
  let edges: FeatureColumns
  let catalog: TypeCatalog

  /// The index in the catalog's sources.
  @inline(__always)
  func source(_ element: Int) -> Int { catalog.types[type(element)].source }

  @inline(__always)
  func type(_ element: Int) -> Int {
    element < junctions.count
      ? Int(junctions.types[element]) : Int(edges.types[element - junctions.count])
  }

  func globalID(_ element: Int) -> String {
    element < junctions.count
      ? junctions.identifiers.text(element) : edges.identifiers.text(element - junctions.count)
  }

  /// The element's name in messages.
  func name(_ element: Int) -> String {
    "\(catalog.sources[source(element)].name):\(globalID(element))".printable
  }

  @inline(__always)
  func withBytes<R>(_ element: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    unsafe element < junctions.count
      ? junctions.identifiers.withBytes(element, body)
      : edges.identifiers.withBytes(element - junctions.count, body)
  }

  @inline(__always)
  func equals(_ element: Int, _ source: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard self.source(element) == source else { return false }
    return unsafe withBytes(element) { other in
      guard other.count == bytes.count, let a = other.baseAddress, let b = bytes.baseAddress else {
        return other.count == bytes.count
      }
      return unsafe memcmp(a, b, bytes.count) == 0
    }
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    unsafe withBytes(a) { a in
      unsafe withBytes(b) { b in
        guard let first = a.baseAddress, let second = b.baseAddress else {
          return a.count < b.count
        }
        let order = unsafe memcmp(first, second, min(a.count, b.count))
        return order == 0 ? a.count < b.count : order < 0
      }
    }
  }

  /// Returns the elements sorted by source, then by the bytes of their ids.
  func sorted(_ count: Int) -> TrivialBuffer<UInt32> {
    var bySource = [[UInt32]](repeating: [], count: catalog.sources.count)
    for element in 0..<count { bySource[source(element)].append(UInt32(element)) }
    let result = TrivialBuffer<UInt32>(count: count)
    var next = 0
    for elements in bySource {
      for element in sorted(elements) {
        unsafe result.base[next] = element
        next += 1
      }
    }
    return result
  }

  private func sorted(_ elements: [UInt32]) -> [UInt32] {
    guard let first = elements.first else { return [] }
    // Skip the prefix that all ids have in common, because the eight bytes after it decide most comparisons.
    var common = unsafe withBytes(Int(first)) { $0.count }
    var isSorted = true
    for index in elements.indices.dropFirst() {
      let (a, b) = (Int(elements[index - 1]), Int(elements[index]))
      if isSorted, !isBefore(a, b) { isSorted = false }
      common = unsafe min(
        common,
        withBytes(Int(first)) { a in
          unsafe withBytes(b) { b in
            var length = 0
            while length < min(common, b.count), unsafe a[length] == b[length] { length += 1 }
            return length
          }
        })
    }
    if isSorted { return elements }
    var keyed = elements.map { element -> (key: UInt64, element: UInt32) in
      let key = unsafe withBytes(Int(element)) { bytes -> UInt64 in
        var key: UInt64 = 0
        for offset in 0..<8 {
          let index = common + offset
          key = unsafe key << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return key
      }
      return (key, element)
    }
    keyed.sort { $0.key != $1.key ? $0.key < $1.key : isBefore(Int($0.element), Int($1.element)) }
    return keyed.map(\.element)
  }
}
