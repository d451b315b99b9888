import Plumb
import PlumbCore
import PlumbExpressions
import PlumbIO

/// Rows summed up by groups.
struct RowGroups {
  let rows: FeatureRows
  let query: RowQuery
  /// The results' fields: the groups', then the statistics'.
  let fields: [EsriField]
  /// Each group's values in that order.
  let values: [[FieldValue]]

  init(_ rows: FeatureRows, _ query: RowQuery, _ found: [Int]) throws {
    (self.rows, self.query) = (rows, query)
    let having = try query.having.map { try Having($0, rows) }
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
          "'outStatistics' parameter is invalid: \(statistic.field.shown) is no number")
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
      let own =
        key
        + zip(statistics, sources).map { statistic, source in
          statistic.result(members.map { row in source.map { rows.value(row, $0) } ?? .integer(1) })
        }
      if bound?.isTrue(own) ?? true { values.append(own) }
    }
    let count = groups.count + query.statistics.count
    self.fields = Array(fields.prefix(count))
    self.values = try Self.ordered(
      values.map { Array($0.prefix(count)) }, self.fields, by: query.order)
  }

  private static func field(
    _ name: String, _ rows: FeatureRows, _ parameter: String
  ) throws(ServiceError) -> Int {
    guard let field = rows.field(name) else {
      throw ServiceError("'\(parameter)' parameter is invalid: there is no field \(name.shown)")
    }
    return field
  }

  private static func ordered(
    _ values: [[FieldValue]], _ fields: [EsriField],
    by order: [(field: String, isDescending: Bool)]
  ) throws(ServiceError) -> [[FieldValue]] {
    var keys: [(index: Int, isDescending: Bool)] = []
    for part in order {
      guard
        let index = fields.firstIndex(where: { $0.name.lowercased() == part.field.lowercased() })
      else {
        throw ServiceError(
          "'orderByFields' parameter is invalid: there is no field \(part.field.shown)")
      }
      keys.append((index, part.isDescending))
    }
    guard !keys.isEmpty else { return values }
    return values.enumerated().sorted { a, b in
      for key in keys {
        let (first, second) = (a.element[key.index], b.element[key.index])
        if first.precedes(second) { return !key.isDescending }
        if second.precedes(first) { return key.isDescending }
      }
      return a.offset < b.offset
    }.map(\.element)
  }
}

/// A condition on groups, which may name statistics as `SUM(POP) > 10`.
private struct Having {
  /// Those that it names.
  private(set) var statistics: [RowStatistic] = []
  private var text = ""

  init(_ text: String, _ rows: FeatureRows) throws(ServiceError) {
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
      let taken = max(1, word.count)
      self.text += rest.prefix(taken)
      rest = rest.dropFirst(taken)
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
            case .objectID, .small, .integer, .big: .integer
            }
          return Field(name: field.name, kind: kind)
        })
    } catch {
      throw ServiceError("'having' parameter is invalid: \(PlumbError(error).message)")
    }
  }
}

extension FeatureRows {
  /// A field by its index, the object id's last.
  func esriField(_ index: Int) -> EsriField {
    index == fields.count ? EsriField(name: objectIDField, kind: .objectID) : fields[index]
  }
}
