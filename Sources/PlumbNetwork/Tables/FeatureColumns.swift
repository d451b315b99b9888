import PlumbCore

/// Features of one kind (junctions or edges) as columns.
struct FeatureColumns: Sendable {
  /// The number of each feature's type in the catalog.
  private(set) var types: [UInt16] = []
  private(set) var identifiers = IdentifierColumn()
  private var objectIDs: [Int64] = []
  private(set) var attributes: [AttributeColumn]

  init(_ attributes: [NetworkAttribute]) {
    self.attributes = attributes.map { AttributeColumn($0.dataType) }
  }

  var count: Int { types.count }

  mutating func append(
    type: UInt16, globalID: String, objectID: Int64?, attributes values: [FieldValue],
    definitions: [NetworkAttribute]
  ) throws(NetworkError) {
    let row = count
    guard values.count <= definitions.count else {
      throw NetworkError(
        .badFeature,
        "\(globalID.printable): \(values.count) values for \(definitions.count) network attributes")
    }
    guard !globalID.isEmpty else {
      throw NetworkError(.badFeature, "a feature (object id \(objectID ?? -1)) has no global id")
    }
    for (index, definition) in definitions.enumerated() {
      let value = index < values.count ? values[index] : .null
      guard value != .null || definition.isNullable else {
        throw NetworkError(
          .badFeature,
          "\(globalID.printable): network attribute \(definition.name.printable) is missing")
      }
      guard attributes[index].set(row, value) else {
        throw NetworkError(
          .badFeature,
          "\(globalID.printable): network attribute \(definition.name.printable) is not of type "
            + definition.dataType.rawValue)
      }
    }
    try identifiers.append(globalID)
    types.append(type)
    if let objectID {
      if objectIDs.count < row {
        objectIDs.append(contentsOf: repeatElement(.min, count: row - objectIDs.count))
      }
      objectIDs.append(objectID)
    }
  }

  func objectID(_ row: Int) -> Int64? {
    row < objectIDs.count && objectIDs[row] != .min ? objectIDs[row] : nil
  }

  mutating func reserve(_ count: Int) {
    types.reserveCapacity(count)
    identifiers.reserve(count)
  }
}

/// A column of strings, which are stored concatenated.
struct IdentifierColumn: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = []

  var count: Int { ends.count }

  mutating func reserve(_ count: Int) { ends.reserveCapacity(count) }

  mutating func append(_ text: String) throws(NetworkError) {
    guard bytes.count + text.utf8.count <= Int(UInt32.max), count < 1 << 30 else {
      throw NetworkError(.tooLarge, "the global ids are longer than 4 GB in total")
    }
    bytes.append(contentsOf: text.utf8)
    ends.append(UInt32(truncatingIfNeeded: bytes.count))
  }

  @inline(__always)
  private func range(_ row: Int) -> Range<Int> {
    (row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])
  }

  func text(_ row: Int) -> String { String(decoding: bytes[range(row)], as: UTF8.self) }

  @inline(__always)
  func withBytes<R>(_ row: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let range = range(row)
    return unsafe bytes.withUnsafeBufferPointer {
      unsafe body(UnsafeBufferPointer(rebasing: $0[range]))
    }
  }
}
