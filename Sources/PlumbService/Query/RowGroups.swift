import Plumb
import PlumbCore
import PlumbExpressions
import PlumbIO

/// Rows aggregated into groups.
struct RowGroups {
  /// The fields of the result, which are the grouping fields followed by the statistics.
  let fields: [EsriField]
  /// The values of each group, in the order of `fields`.
  let values: [[FieldValue]]

  init(_ rows: FeatureRows, _ query: RowQuery, _ found: [Int]) throws {
    let having = try query.having.map { try Having($0) }
    let statistics = query.statistics + (having?.statistics ?? [])
    var groups: [Int] = []
    for name in query.groups {
      groups.append(try Self.field(name, rows, "groupByFieldsForStatistics"))
    }
    var sources: [Int?] = []
    for statistic in statistics {
      let isAll = statistic.kind == .count && statistic.field == "*"
      let source = isAll ? nil : try Self.field(statistic.field, rows, "outStatistics")
      let isNumber = source.map { rows.esriField($0).kind != .text } ?? true
      guard isNumber || [.count, .min, .max].contains(statistic.kind) else {
        throw ServiceError(
          "'outStatistics' parameter is invalid: \(statistic.field.shown) is not numeric")
      }
      sources.append(source)
    }
    var order: [[FieldValue]] = []
    var members: [[FieldValue]: [Int]] = [:]
    for row in found {
      let key = groups.map { rows.value(row, $0) }
      if members[key] == nil { order.append(key) }
      members[key, default: []].append(row)
    }
    if groups.isEmpty { (order, members) = ([[]], [[]: found]) }
    var fields = groups.map { rows.esriField($0) }
    for index in fields.indices where fields[index].kind == .objectID {
      fields[index].kind = .integer
    }
    fields += zip(statistics, sources).map { $0.output(of: $1.map { rows.esriField($0) }) }
    let bound = try having?.bound(to: fields)
    var values: [[FieldValue]] = []
    for (count, key) in order.enumerated() {
      if count % 256 == 0 { try WorkCancellation.checkCurrent() }
      let members = members[key] ?? []
      let groupValues =
        key
        + zip(statistics, sources).map { statistic, source in
          statistic.result(members.map { row in source.map { rows.value(row, $0) } ?? .integer(1) })
        }
      if bound?.isTrue(groupValues) ?? true { values.append(groupValues) }
    }
    let count = groups.count + query.statistics.count
    self.fields = Array(fields.prefix(count))
    let groupValues = values.map { Array($0.prefix(count)) }
    let names = self.fields.map { $0.name.lowercased() }
    var keys: [RowOrder.Key] = []
    for part in query.order {
      keys.append(try part.key { names.firstIndex(of: $0.lowercased()) })
    }
    self.values = try RowOrder.sorted(groupValues, by: keys).map { groupValues[$0] }
  }

  private static func field(
    _ name: String, _ rows: FeatureRows, _ parameter: String
  ) throws(ServiceError) -> Int {
    guard let field = rows.field(name) else {
      throw ServiceError("'\(parameter)' parameter is invalid: there is no field \(name.shown)")
    }
    return field
  }
}

/// A condition on groups, which may use statistics such as `SUM(POP) > 10`.
private struct Having {
  /// The statistics that the condition uses.
  private(set) var statistics: [RowStatistic] = []
  private var text = ""

  init(_ text: String) throws(ServiceError) {
    guard text.utf8.count <= 10_000 else {
      throw ServiceError("'having' parameter is invalid: longer than 10000 bytes", kind: .limit)
    }
    var rest = Substring(text)
    while let character = rest.first {
      if character == "'" || character == "\"" {
        let inner = rest.dropFirst().prefix { $0 != character }
        self.text += rest.prefix(inner.count + 2)
        rest = rest.dropFirst(inner.count + 2)
        continue
      }
      let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if let kind = RowStatistic.Kind(rawValue: word.lowercased()) {
        let after = rest.dropFirst(word.count).drop { $0 == " " }
        if after.first == "(", let end = after.firstIndex(of: ")") {
          let field = String(after[after.index(after: after.startIndex)..<end])
            .trimmingASCIISpace()
          let name = "plumb_having_\(statistics.count)"
          statistics.append(RowStatistic(kind: kind, field: field, name: name))
          self.text += name
          rest = after[after.index(after: end)...]
          continue
        }
      }
      let length = max(1, word.count)
      self.text += rest.prefix(length)
      rest = rest.dropFirst(length)
    }
    if statistics.count > 100 { throw ServiceError("'having' parameter is invalid: too long") }
  }

  func bound(to fields: [EsriField]) throws(ServiceError) -> BoundCondition {
    do {
      return try Condition(text).bound(
        to: fields.map { field in
          let kind: FieldKind =
            switch field.kind {
            case .text: .text
            case .double: .real
            case .objectID, .small, .integer, .big, .date: .integer
            }
          return Field(name: field.name, kind: kind)
        })
    } catch {
      throw ServiceError("'having' parameter is invalid: \(PlumbError(error).message)")
    }
  }
}

extension FeatureRows {
  /// Returns a field by its index. The object id has the last index.
  func esriField(_ index: Int) -> EsriField {
    index == fields.count ? EsriField(name: objectIDField, kind: .objectID) : fields[index]
  }
}
