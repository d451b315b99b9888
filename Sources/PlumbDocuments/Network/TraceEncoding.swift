import PlumbFormats
import PlumbNetwork

extension UtilityTraceResult {
  /// Returns the result as a value that can be encoded. The encoded object is the object that
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
  /// Returns the segments as a value that can be encoded. The encoded object is the object that
  /// `json(in:)` returns.
  public func encodable(in opened: OpenedNetwork) -> some Encodable & Sendable {
    WrittenJSON { json(in: opened) }
  }
}

/// JSON that is generated during encoding.
private struct WrittenJSON: Encodable, Sendable {
  let write: @Sendable () -> [UInt8]

  init(_ write: @escaping @Sendable () -> [UInt8]) { self.write = write }

  func encode(to encoder: any Encoder) throws { try EncodableJSON(write()).encode(to: encoder) }
}
