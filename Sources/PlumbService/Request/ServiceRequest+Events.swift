extension ServiceRequest {
  /// The name of the monitor in a path `/monitor/NAME/events`; nil for other paths.
  package var monitorOfEvents: String? {
    guard let parts, parts.count == 3, parts[0] == "monitor", parts[2] == "events" else {
      return nil
    }
    return parts[1]
  }

  /// The last event id in the parameters, for clients that cannot send it in a header; nil if
  /// missing.
  package var lastEventParameter: String? { (try? Parameters(self))?.word("lastEventId") }
}
