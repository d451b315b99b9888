import Plumb
import PlumbIO

/// Handles `associations/query` of a utility network server.
struct AssociationQuery {
  let service: NetworkService

  func json(_ parameters: Parameters) throws -> JSONObject {
    let layers = try service.layers()
    var found: [JSONObject] = []
    let requested = try elements(parameters)
    let types = try types(parameters)
    if let rows = layers.first(where: { $0.sourceID == nil })?.rows {
      let columns = Columns(rows)
      for row in 0..<rows.count {
        let ends = [columns.end(row, "FROM", rows), columns.end(row, "TO", rows)]
        guard requested.isEmpty || ends.contains(where: { requested.contains($0) }) else {
          continue
        }
        let kind = columns.kind(row, rows)
        guard types.isEmpty || types.contains(kind.lowercased()) else { continue }
        found.append(columns.json(row, kind, rows))
      }
    }
    var object = JSONObject()
    object.add("associations", found)
    object.add("success", true)
    return object
  }

  /// Reads elements as `source/id`.
  private func elements(_ parameters: Parameters) throws(ServiceError) -> Set<String> {
    guard let list = try parameters.json("elements")?.list else { return [] }
    var elements: Set<String> = []
    for item in list {
      guard let source = item.member("networkSourceId")?.text,
        let id = item.member("globalId")?.text
      else {
        throw ServiceError(
          "'elements' parameter is invalid: expected networkSourceId and globalId")
      }
      elements.insert("\(source)/\(Self.plain(id))")
    }
    return elements
  }

  private func types(_ parameters: Parameters) throws(ServiceError) -> Set<String> {
    guard let list = try parameters.json("types")?.list else { return [] }
    return Set(list.compactMap(\.text).map { $0.lowercased() })
  }

  /// Returns an id in lower case without braces.
  fileprivate static func plain(_ id: String) -> String {
    id.lowercased().filter { $0 != "{" && $0 != "}" }
  }

  /// The columns of an associations table by their names in Esri's schema.
  private struct Columns {
    private let fields: [String: Int]

    init(_ rows: FeatureRows) {
      fields = Dictionary(
        rows.fields.enumerated().map { ($1.name.uppercased(), $0) }
      ) { first, _ in first }
    }

    private func value(_ row: Int, _ name: String, _ rows: FeatureRows) -> FieldValue {
      fields[name].map { rows.value(row, $0) } ?? .null
    }

    func end(_ row: Int, _ side: String, _ rows: FeatureRows) -> String {
      let source = value(row, side + "NETWORKSOURCEID", rows).shownText
      return "\(source)/\(AssociationQuery.plain(value(row, side + "GLOBALID", rows).shownText))"
    }

    /// Returns Esri's name for the association type.
    func kind(_ row: Int, _ rows: FeatureRows) -> String {
      let text = value(row, "ASSOCIATIONTYPE", rows).shownText
      switch Int(text) {
      case 1?: return "connectivity"
      case 2?: return "containment"
      case 3?: return "attachment"
      case 4?: return "junctionEdgeFromConnectivity"
      case 5?: return "junctionEdgeMidspanConnectivity"
      case 6?: return "junctionEdgeToConnectivity"
      default: return text
      }
    }

    func json(_ row: Int, _ kind: String, _ rows: FeatureRows) -> JSONObject {
      var object = JSONObject()
      object.add("associationType", kind)
      for (side, name) in [("FROM", "from"), ("TO", "to")] {
        object.add(name + "NetworkSourceId", value(row, side + "NETWORKSOURCEID", rows))
        object.add(name + "GlobalId", value(row, side + "GLOBALID", rows))
        object.add(name + "TerminalId", value(row, side + "TERMINALID", rows))
      }
      object.add("percentAlong", value(row, "PERCENTALONG", rows))
      return object
    }
  }
}
