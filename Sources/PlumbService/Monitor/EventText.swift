import PlumbIO

/// The wire formats of events, which are blocks of server-sent events and WebSocket messages.
package enum EventText {
  /// Appends a block of server-sent events.
  ///
  /// - Parameters:
  ///   - id: the id of the event. If it is nil, the client's last event id remains unchanged.
  ///   - data: the data, on one line.
  package static func appendBlock(
    id: String?, type: String, data: [UInt8], to bytes: inout [UInt8]
  ) {
    if let id {
      bytes += "id: ".utf8
      bytes += id.utf8
      bytes.append(0x0A)
    }
    bytes += "event: ".utf8
    bytes += type.utf8
    bytes += "\ndata: ".utf8
    bytes += data
    bytes += [0x0A, 0x0A]
  }

  /// Returns a block that contains no event. It sets the client's reconnection time and last event id.
  package static func opening(id: String) -> [UInt8] { Array("retry: 2000\nid: \(id)\n\n".utf8) }

  /// A comment that keeps the connection open and shows that the server is running.
  package static let heartbeat = Array(": \n\n".utf8)

  /// Returns an event as a WebSocket message.
  package static func message(id: String?, type: String, data: [UInt8]) -> [UInt8] {
    var object = JSONObject()
    if let id { object.add("id", id) }
    object.add("event", type)
    object.add("data", json: data)
    return object.bytes
  }

  /// Returns the data of the event that ends a stream, which is a JSON object with the reason.
  package static func end(_ reason: String) -> [UInt8] {
    var object = JSONObject()
    object.add("reason", reason)
    return object.bytes
  }
}
