import PlumbIO

/// Events as clients read them: blocks of server-sent events, and messages.
package enum EventText {
  /// Appends a block of server-sent events.
  ///
  /// - Parameters:
  ///   - id: nil leaves what the client goes on from.
  ///   - data: one line.
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

  /// The block that says where a client goes on from, with nothing in it that it would show.
  package static func opening(id: String) -> [UInt8] { Array("retry: 2000\nid: \(id)\n\n".utf8) }

  /// What shows that the server is there.
  package static let heartbeat = Array(": \n\n".utf8)

  /// A message by itself.
  package static func message(id: String?, type: String, data: [UInt8]) -> [UInt8] {
    var object = JSONObject()
    if let id { object.add("id", id) }
    object.add("event", type)
    object.add("data", json: data)
    return object.bytes
  }

  /// Why no more events come.
  package static func end(_ reason: String) -> [UInt8] {
    var object = JSONObject()
    object.add("reason", reason)
    return object.bytes
  }
}
