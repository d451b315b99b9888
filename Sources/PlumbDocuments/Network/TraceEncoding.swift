import PlumbFormats
import PlumbNetwork

extension UtilityTraceResult {
  /// The result for an encoder, with the names of the network's definition: encodes the same object as
  /// `json(in:)` returns.
  ///
  /// ```swift
  /// let data = try JSONEncoder().encode(result.encodable(in: network))
  /// ```
  public func encodable(in network: UtilityNetwork) -> some Encodable & Sendable {
    WrittenJSON { json(in: network) }
  }
}

extension IsolationSegments {
  /// The segments for an encoder: encodes the same object as `json(in:)` returns.
  public func encodable(in opened: OpenedNetwork) -> some Encodable & Sendable {
    WrittenJSON { json(in: opened) }
  }
}

/// JSON that is generated when it is encoded.
private struct WrittenJSON: Encodable, Sendable {
  let write: @Sendable () -> [UInt8]

  init(_ write: @escaping @Sendable () -> [UInt8]) { self.write = write }

  func encode(to encoder: any Encoder) throws { try EncodableJSON(write()).encode(to: encoder) }
}
