import PlumbCore

/// Rows without a usable point, by reason.
package struct BadRows {
  private var counts = [Int](repeating: 0, count: PointFault.allCases.count)
  private var lines = [[Int]](repeating: [], count: PointFault.allCases.count)

  private static let shown = 8

  package init() {}

  package mutating func add(_ rows: [(line: Int, fault: PointFault)]) {
    for row in rows {
      let index = Int(row.fault.rawValue)
      counts[index] += 1
      if counts[index] <= Self.shown { lines[index].append(row.line) }
    }
  }

  /// Returns the warnings, one line for each kind of fault.
  ///
  /// - Parameter itemName: the name of a row.
  package func warnings(itemName: String) -> [String] {
    PointFault.allCases.compactMap { fault in
      let (count, lines) = (counts[Int(fault.rawValue)], lines[Int(fault.rawValue)])
      guard count > 0 else { return nil }
      let list =
        "\(itemName)\(count == 1 ? "" : "s") " + lines.map(String.init).joined(separator: ", ")
        + (count > lines.count ? ", …" : "")
      let rows = count == 1 ? "row" : "rows"
      if fault == .extraFields {
        return
          "\(count) \(rows) \(count == 1 ? "has" : "have") more fields than the header, and "
          + "no point is read from \(count == 1 ? "it" : "them"): \(list); \(fault.advice)"
      }
      guard let kind = fault.plural else {
        let advice = fault.advice.isEmpty ? "" : "; \(fault.advice)"
        return "\(count) \(rows) \(count == 1 ? "has" : "have") no usable point: \(list)\(advice)"
      }
      return "\(count) \(rows) of \(kind), not points: \(list); \(fault.advice)"
    }
  }
}

extension PointFault {
  /// Advice for the user.
  fileprivate var advice: String {
    switch self {
    case .missing: ""
    case .openQuote: "a quote is not closed there, so the rest of the file is one field"
    case .extraFields: "put quotes around fields that contain the delimiter"
    case .multiPoint:
      "split them into single points first, for example with ogr2ogr -explodecollections"
    case .line:
      "take points along them first, for example the vertices after ogr2ogr -segmentize"
    case .polygon:
      "take a point of each first, for example with ST_PointOnSurface in ogr2ogr -dialect sqlite "
        + "-sql"
    case .collection, .other: "take a point of each first"
    }
  }
}
