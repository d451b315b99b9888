import PlumbCore
import PlumbFormats
import PlumbNetwork

/// Resolves strings that identify elements of a network. A string is `source:globalid`,
/// `source:globalid:terminal`, an id that occurs in only one source, optionally with a terminal, or
/// a point `@X,Y` or `@X,Y,TOLERANCE`.
///
/// Source names are case-insensitive. Terminals are given by name or number. Ids are
/// case-sensitive, except GUIDs, which match in either case, with or without braces. A point is in
/// the network's CRS. The tolerance is in the unit of the CRS and defaults to 0. A junction within
/// the tolerance takes precedence over an edge. On an edge, the location is the point of the edge
/// nearest to the given point.
public struct ElementReference: Sendable {
  private let network: UtilityNetwork

  /// Creates a resolver for the elements of a network.
  public init(_ network: UtilityNetwork) { self.network = network }

  /// Returns the start of a trace. A device with several terminals requires a terminal.
  ///
  /// - Throws: a one-line error with the correct spelling, or similar ids.
  public func start(_ text: String) throws(NetworkError) -> TraceLocation {
    let location = try location(text)
    if location.terminalID == nil, !network.isEdge(location.element) {
      try requireTerminal(location.element)
    }
    return location
  }

  /// Returns a barrier. Without a terminal, the barrier applies to all terminals of a device. If
  /// the device is given by a point and has several terminals, a terminal is required.
  public func barrier(_ text: String) throws(NetworkError) -> TraceLocation {
    let location = try location(text)
    if text.hasPrefix("@"), location.terminalID == nil { try requireTerminal(location.element) }
    return location
  }

  /// Returns a whole element, such as an inoperable valve.
  public func element(_ text: String) throws(NetworkError) -> NetworkElement {
    let location = try location(text)
    guard location.terminalID == nil else {
      throw NetworkError(
        .badParameters,
        "\(text.printable) names a terminal: name the whole element "
          + "\(network.name(of: location.element))")
    }
    return location.element
  }

  private func requireTerminal(_ element: NetworkElement) throws(NetworkError) {
    let terminals = network.describe(element).terminals
    guard terminals.count > 1 else { return }
    let name = network.name(of: element)
    throw NetworkError(
      .terminalMissing,
      "\(name) has several terminals: specify one: "
        + terminals.map { "\(name):\($0.name.printable)" }.joined(separator: " or "))
  }

  private func location(_ text: String) throws(NetworkError) -> TraceLocation {
    guard !text.isEmpty else { throw NetworkError(.badParameters, "a reference is empty") }
    return text.hasPrefix("@") ? try point(text) : try named(text)
  }

  // MARK: By location

  private func point(_ text: String) throws(NetworkError) -> TraceLocation {
    let numbers = text.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map {
      part -> Double? in
      let digits = String(part).trimmingASCIISpace()
      guard digits.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(digits),
        number.isFinite
      else { return nil }
      return number
    }
    guard (2...3).contains(numbers.count), let x = numbers[0], let y = numbers[1],
      numbers.count == 2 || numbers[2] != nil
    else {
      throw NetworkError(
        .badParameters, "\(text.printable) is not a point: expected @X,Y or @X,Y,TOLERANCE")
    }
    let tolerance = numbers.count == 3 ? numbers[2] ?? 0 : 0
    guard tolerance >= 0 else {
      throw NetworkError(.badParameters, "\(text.printable): the tolerance is below 0")
    }
    if let found = network.nearest(to: SIMD2(x, y), tolerance: tolerance) { return found }
    throw NetworkError(
      .unknownElement,
      tolerance > 0
        ? "no element of the network is within \(tolerance) of \(x),\(y)"
        : "no element of the network is at \(x),\(y): write @\(x),\(y),TOLERANCE for one near it")
  }

  // MARK: By name

  private func named(_ text: String) throws(NetworkError) -> TraceLocation {
    var found = network.elements(ofID: text).map { TraceLocation($0) }
    for colon in text.indices.reversed() where text[colon] == ":" {
      let before = String(text[..<colon])
      let after = String(text[text.index(after: colon)...])
      for element in network.elements(ofID: before) {
        if let terminal = terminal(after, of: element) {
          found.append(TraceLocation(element, terminalID: terminal))
        }
      }
      guard let source = source(before) else { continue }
      if let element = network.element(ofID: after, sourceID: source.id) {
        found.append(TraceLocation(element))
      }
      for second in after.indices where after[second] == ":" {
        guard let element = network.element(ofID: String(after[..<second]), sourceID: source.id),
          let terminal = terminal(String(after[after.index(after: second)...]), of: element)
        else { continue }
        found.append(TraceLocation(element, terminalID: terminal))
      }
    }
    var seen: Set<TraceLocation> = []
    found = found.filter { seen.insert($0).inserted }
    switch found.count {
    case 1: return found[0]
    case 0: throw unknown(text)
    default:
      let ways = found.map { location in
        let name = network.name(of: location.element)
        return location.terminalID.map { "\(name):\($0)" } ?? name
      }
      // An id may itself begin with a source's name. If the string is exactly the full form of one
      // element, that element takes precedence.
      let meant = ways.indices.filter { ways[$0] == text.printable }
      if meant.count == 1 { return found[meant[0]] }
      throw NetworkError(
        .ambiguousElement,
        "\(text.printable) may be \(ways.joined(separator: " or ")): use one of these")
    }
  }

  private func source(_ name: String) -> NetworkSource? {
    let sources = network.definition.domainNetworks.flatMap(\.sources)
    return sources.first { $0.name == name }
      ?? sources.first { $0.name.lowercased() == name.lowercased() }
  }

  private func terminal(_ text: String, of element: NetworkElement) -> Int? {
    let terminals = network.describe(element).terminals
    return
      (terminals.first { $0.name == text }
      ?? terminals.first { $0.name.lowercased() == text.lowercased() }
      ?? terminals.first { String($0.id) == text })?.id
  }

  /// Returns the error for a string that matches no element.
  private func unknown(_ text: String) -> NetworkError {
    for colon in text.indices where text[colon] == ":" {
      guard let source = source(String(text[..<colon])) else { continue }
      let id = String(text[text.index(after: colon)...])
      if let last = id.lastIndex(of: ":"),
        let element = network.element(ofID: String(id[..<last]), sourceID: source.id)
      {
        return missing(String(id[id.index(after: last)...]), element)
      }
      let ids = network.elements.lazy.filter { network.sourceID(of: $0) == source.id }
        .map { network.globalID(of: $0) }
      return NetworkError(
        .unknownElement,
        "\(source.name.printable) has no feature \(id.printable)"
          + advice(NameSuggestions.nearest(id, among: ids).map { "\(source.name):\($0)" }))
    }
    if let last = text.lastIndex(of: ":") {
      let before = String(text[..<last])
      if let element = network.elements(ofID: before).first {
        return missing(String(text[text.index(after: last)...]), element)
      }
      let names = network.definition.domainNetworks.flatMap(\.sources).map(\.name)
      let first = String(text.prefix { $0 != ":" })
      return NetworkError(
        .unknownElement,
        "the network has no feature \(text.printable), and no source \(first.printable)"
          + NameSuggestions.advice(first, among: names))
    }
    let near = NameSuggestions.nearest(
      text, among: network.elements.lazy.map { network.globalID(of: $0) })
    return NetworkError(
      .unknownElement, "the network has no feature \(text.printable)" + advice(near))
  }

  private func missing(_ terminal: String, _ element: NetworkElement) -> NetworkError {
    let terminals = network.describe(element).terminals
    let name = network.name(of: element)
    guard !terminals.isEmpty else {
      return NetworkError(.badParameters, "\(name) has no terminals, so not \(terminal.printable)")
    }
    return NetworkError(
      .badParameters,
      "\(name) has no terminal \(terminal.printable)"
        + NameSuggestions.advice(terminal, among: terminals.map { "\($0.name) (\($0.id))" }))
  }

  private func advice(_ near: [String]) -> String {
    near.isEmpty ? "" : "; did you mean \(near.map(\.printable).joined(separator: " or "))?"
  }
}

extension UtilityNetwork {
  /// Returns the elements with an id, at most one per source.
  package func elements(ofID id: String) -> [NetworkElement] {
    definition.domainNetworks.flatMap(\.sources).map(\.id).sorted().compactMap {
      element(ofID: id, sourceID: $0)
    }
  }

  /// Returns the element for `source:globalid`; nil for none.
  package func element(named name: String) -> NetworkElement? {
    for source in definition.domainNetworks.flatMap(\.sources)
    where name.hasPrefix(source.name + ":") {
      let id = String(name.dropFirst(source.name.count + 1))
      if let element = element(ofID: id, sourceID: source.id) { return element }
    }
    return nil
  }

  /// Returns the element with an id. A GUID matches in either case, with or without braces.
  package func element(ofID id: String, sourceID: Int) -> NetworkElement? {
    for form in Self.forms(of: id) {
      if let element = try? element(sourceID: sourceID, globalID: form) { return element }
    }
    return nil
  }

  private static func forms(of id: String) -> [String] {
    let inner = id.hasPrefix("{") && id.hasSuffix("}") ? String(id.dropFirst().dropLast()) : id
    let groups = inner.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      groups.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isHexDigit } })
    else { return [id] }
    let (upper, lower) = (inner.uppercased(), inner.lowercased())
    return [id, "{\(upper)}", upper, "{\(lower)}", lower]
  }
}
