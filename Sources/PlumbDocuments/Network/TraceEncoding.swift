import PlumbFormats
import PlumbNetwork

extension UtilityTraceResult {
  /// The result for an encoder, with the names that the network's definition gives: the same object
  /// as `json(in:)` writes.
  ///
  /// ```swift
  /// let data = try JSONEncoder().encode(result.encodable(in: network))
  /// ```
  public func encodable(in network: UtilityNetwork) -> some Encodable & Sendable {
    WrittenJSON { json(in: network) }
  }
}

extension IsolationSegments {
  /// The segments for an encoder: the same object as `json(in:)` writes.
  public func encodable(in opened: OpenedNetwork) -> some Encodable & Sendable {
    WrittenJSON { json(in: opened) }
  }
}

/// What a writer writes, written when an encoder asks.
private struct WrittenJSON: Encodable, Sendable {
  let write: @Sendable () -> [UInt8]

  init(_ write: @escaping @Sendable () -> [UInt8]) { self.write = write }

  func encode(to encoder: any Encoder) throws { try EncodableJSON(write()).encode(to: encoder) }
}
