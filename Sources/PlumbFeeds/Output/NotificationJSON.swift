import PlumbCore
import PlumbIO
import PlumbExpressions
import PlumbFormats
import PlumbGeotriggers

/// One notification as the members of a JSON object.
package struct NotificationJSON: Sendable {
  /// Whether the object has a member with the reason for the notification.
  package var explains: Bool
  /// Whether the object has members for the crossings of borders, if the event has crossings.
  package var reportsCrossings: Bool

  package init(explains: Bool, reportsCrossings: Bool) {
    (self.explains, self.reportsCrossings) = (explains, reportsCrossings)
  }

  /// Returns the values that every notification has, with their names. The names are used as JSON
  /// members and as table columns.
  static func facts(_ notification: FenceNotification) -> [(String, FieldValue)] {
    let event = notification.event
    return [
      ("time", .text(text(event.time))), ("entity", .text(notification.location.entity)),
      ("monitor", .text(notification.monitor)), ("fence", .text(notification.fence.name)),
      ("fenceId", .text(notification.fence.id)), ("type", .text(event.type.rawValue)),
      ("message", .text(notification.message.text)), ("x", .real(event.x)), ("y", .real(event.y)),
      ("index", .integer(Int64(event.index))),
    ]
  }

  /// Appends the members, `"name":value` separated by commas, without braces.
  package func append(_ notification: FenceNotification, to bytes: inout [UInt8]) {
    GeoJSONRowText.append(members: Self.facts(notification), to: &bytes)
    let event = notification.event
    if event.cause != .location {
      bytes += Array(",\"reason\":".utf8)
      JSONText.append(event.cause.rawValue, to: &bytes)
    }
    if reportsCrossings {
      Self.append("crossing", event.passage, to: &bytes)
      Self.append("second", event.secondPassage, to: &bytes)
    }
    if let actions = Self.actions(notification) {
      bytes += Array((",\"actions\":" + actions).utf8)
    }
    if let properties = Self.properties(notification) {
      bytes += Array((",\"messageProperties\":" + properties).utf8)
    }
    if explains {
      bytes += Array(",\"why\":".utf8)
      JSONText.append(notification.why, to: &bytes)
    }
  }

  /// Returns the actions as a JSON array; nil if there are no actions.
  package static func actions(_ notification: FenceNotification) -> String? {
    let actions = notification.message.actions
    guard !actions.isEmpty else { return nil }
    var text: [UInt8] = Array("[".utf8)
    for (index, action) in actions.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      JSONText.append(action, to: &text)
    }
    return String(decoding: text + Array("]".utf8), as: UTF8.self)
  }

  /// Returns the properties as a JSON object; nil if there are no properties.
  package static func properties(_ notification: FenceNotification) -> String? {
    let properties = notification.message.properties
    guard !properties.isEmpty else { return nil }
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(members: properties.map { ($0.name, $0.value) }, to: &text)
    return String(decoding: text + Array("}".utf8), as: UTF8.self)
  }

  private static func append(_ name: String, _ passage: FencePassage?, to bytes: inout [UInt8]) {
    guard let passage else { return }
    bytes += Array(",\"\(name)\":{".utf8)
    GeoJSONRowText.append(
      members: [
        ("time", .text(text(passage.time))), ("x", .real(passage.x)), ("y", .real(passage.y)),
      ], to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns the time in ISO 8601 format.
  package static func text(_ time: Int64) -> String { ArcadeDate(milliseconds: time).iso }
}

extension FenceNotification: Encodable {
  /// Encodes the object that ``NotificationWriter`` writes as a line of `jsonl` with `explains` and
  /// `reportsCrossings`. The members `crossing` and `second` are present only if borders were
  /// crossed. The member `why` is always present.
  public func encode(to encoder: any Encoder) throws {
    var bytes = Array("{".utf8)
    NotificationJSON(explains: true, reportsCrossings: true).append(self, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
    try EncodableJSON(bytes).encode(to: encoder)
  }
}
