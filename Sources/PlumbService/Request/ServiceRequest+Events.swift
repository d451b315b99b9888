extension ServiceRequest {
  /// The monitor whose events an address has; nil for another.
  package var monitorOfEvents: String? {
    guard let parts, parts.count == 3, parts[0] == "monitor", parts[2] == "events" else {
      return nil
    }
    return parts[1]
  }

  /// The last event that a client has, where it cannot say so in a header; nil for none.
  package var lastEventParameter: String? { (try? Parameters(self))?.word("lastEventId") }
}
