import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbGeometry
import PlumbParquet
import PlumbSources

/// Reads the features whose areas are evaluated. These are all features of a file, the features
/// that meet a condition, or groups of features with equal values.
package final class AreaInput {
  /// Consecutive features.
  struct Batch: Sendable {
    var features: FeatureInput.Batch
    /// The number of groups with areas that had to be repaired.
    var repairCount = 0
    /// The number of areas that could not be joined with the other areas of their group.
    var faultCount = 0
    /// The hash of each area, if a coverage file is used.
    var hashes: [UInt64] = []
    /// Whether no features follow; false if that is not known yet.
    var isLast = false

    mutating func append(_ next: Batch) {
      features.append(next.features)
      repairCount += next.repairCount
      faultCount += next.faultCount
      hashes += next.hashes
    }
  }

  /// Whether batches contain the hashes of their areas.
  var needsHashes = false
  /// Whether the areas of a group are joined.
  var joinsGroups = true

  private let input: FeatureInput
  private let conditionText: String?
  private let groupColumn: String?
  private var condition: BoundCondition?
  private var columns: [Int]?
  private var isDone = false
  /// The number of features that were read, whether they meet the condition or not.
  private var readCount = 0
  private let checkShapes: (@Sendable ([Geometry]) throws -> Void)?
  private let workers: Workers

  /// - Parameters:
  ///   - condition: the condition of the features; nil for all.
  ///   - groupColumn: the column whose equal values define a group; nil if each feature is
  ///     evaluated separately.
  ///   - checkShapes: throws if shapes are too complex to be joined; nil for no limit.
  init(
    _ input: FeatureInput, condition: String?, groupColumn: String?,
    checkShapes: (@Sendable ([Geometry]) throws -> Void)?, workers: Workers
  ) {
    (self.input, conditionText, self.groupColumn) = (input, condition, groupColumn)
    (self.checkShapes, self.workers) = (checkShapes, workers)
    if let file = input.source as? FeatureFile, condition != nil {
      file.select(
        Condition.databaseFilter(condition, on: file.fields, comparable: file.comparableFields))
    }
  }

  /// The columns of the features, known after the first batch.
  var fields: [Field] {
    let fields = input.source.fields
    return columns.map { $0.map { fields[$0] } } ?? fields
  }

  /// The columns as an OGR layer declares them.
  var vectorFields: [VectorField] {
    columns.map { $0.map { input.vectorFields[$0] } } ?? input.vectorFields
  }

  /// The input's columns as columns of a Parquet or Arrow table.
  var columnFields: [ColumnField] {
    let fields = input.columnFields
    return columns.map { $0.map { fields[$0] } } ?? fields
  }

  var reference: SpatialReference? { input.source.spatialReference }
  var warnings: [MessageTemplate] { input.warnings }
  var faults: FeatureFaults { input.faults }

  private static let firstPart = 1 << 10
  private static let largestPart = 1 << 14
  private static let verticesPerBatch = 1 << 21

  /// Returns the next features; nil at the end.
  ///
  /// - Parameter size: the number of features to read. Fewer features are read if they have many
  ///   vertices.
  func batch(size: Int) throws -> Batch? {
    let end = readCount + size
    guard var batch = try next(limit: min(size, Self.firstPart)) else { return nil }
    var vertices = batch.features.features.reduce(0) { $0 + $1.vertexCount }
    while readCount < end, vertices < Self.verticesPerBatch {
      try WorkCancellation.checkCurrent()
      let mean = max(1, vertices / max(1, batch.features.features.count))
      let fitting = (Self.verticesPerBatch - vertices) / mean
      let part = min(end - readCount, max(64, min(fitting, Self.largestPart)))
      guard let next = try next(limit: part) else {
        batch.isLast = true
        break
      }
      vertices += next.features.features.reduce(0) { $0 + $1.vertexCount }
      batch.append(next)
    }
    return batch
  }

  private func next(limit: Int) throws -> Batch? {
    if isDone { return nil }
    if groupColumn != nil {
      isDone = true
      return try groups()
    }
    guard let features = try nextFeatures(limit) else {
      isDone = true
      return nil
    }
    var batch = Batch(features: features)
    if needsHashes {
      batch.hashes = workers.mapRanges(features.features.count, grain: 256) { _, range in
        features.features[range].map { AreaHash.of($0.area) }
      }.flatMap(\.self)
    }
    return batch
  }

  private func nextFeatures(_ limit: Int) throws -> FeatureInput.Batch? {
    guard var batch = try input.next(limit: limit) else {
      // The columns of an empty input are known only at its end.
      _ = try bound()
      return nil
    }
    readCount += batch.features.count
    guard let condition = try bound() else { return batch }
    let kept = batch.features.indices.filter { condition.isTrue(batch.features[$0].attributes) }
    batch.features = kept.map { batch.features[$0] }
    batch.texts = batch.texts.map { texts in kept.map { texts[$0] } }
    batch.rows = batch.rows.map { rows in kept.map { rows[$0] } }
    return batch
  }

  private func bound() throws -> BoundCondition? {
    guard let conditionText else { return nil }
    if let condition { return condition }
    do {
      condition = try Condition(conditionText).bound(to: input.source.fields)
      return condition
    } catch {
      var fault = PlumbError("\(.whereClause)", error)
      fault.code = .badCondition
      throw fault
    }
  }

  // MARK: Groups

  private struct Group {
    var value: FieldValue
    /// The row of the group's first feature, if the input is a Parquet or Arrow table.
    var row: TableRow?
    var areas: [Geometry] = []
    /// The number of features whose geometry is a collection of several kinds of geometries.
    var mixedCount = 0
  }

  private func groups() throws -> Batch? {
    var groups: [Group] = []
    var numbers: [FieldValue: Int] = [:]
    var column: Int?
    while let batch = try nextFeatures(1 << 12) {
      try WorkCancellation.checkCurrent()
      let known = try column ?? self.column()
      column = known
      for (index, feature) in batch.features.enumerated() {
        let value = known < feature.attributes.count ? feature.attributes[known] : .null
        let number = numbers[value] ?? groups.count
        if number == groups.count {
          groups.append(Group(value: value, row: batch.rows?[index].copy(ofAttribute: known)))
          numbers[value] = number
        }
        if let area = feature.area {
          groups[number].areas.append(area)
        } else if !feature.collection.isEmpty {
          groups[number].mixedCount += 1
        }
      }
    }
    columns = [try column ?? self.column()]
    var batch = Batch(features: FeatureInput.Batch(features: [], share: 1))
    if input.keepsRows { batch.features.rows = groups.compactMap(\.row) }
    // A group without an area is not counted here, because it is later counted as one feature without a usable area.
    batch.faultCount = groups.reduce(0) { $0 + ($1.areas.isEmpty ? 0 : $1.mixedCount) }
    for group in groups {
      try WorkCancellation.checkCurrent()
      var feature = Feature()
      feature.attributes = [group.value]
      if needsHashes {
        var hash = AreaHash()
        for area in group.areas { hash.add(area) }
        batch.hashes.append(hash.value)
      }
      if joinsGroups { feature.geometry = try joined(group.areas, &batch) }
      batch.features.features.append(feature)
    }
    return groups.isEmpty ? nil : batch
  }

  /// Joins the polygons of a group. If the group has no polygons, its lines are joined, or else its
  /// points.
  private func joined(_ areas: [Geometry], _ batch: inout Batch) throws -> Geometry? {
    let dimension = areas.map(\.dimension).max() ?? 0
    var areas = areas.filter { $0.dimension == dimension }
    guard areas.count > 1 else { return areas.first }
    try checkShapes?(areas)
    if areas.contains(where: { !GeometryEngine.isValid($0) }) { batch.repairCount += 1 }
    while !areas.isEmpty {
      try WorkCancellation.checkCurrent()
      do throws(GeometryError) {
        return try GeometryEngine.union(areas, workers: workers)
      } catch {
        guard let member = error.member, areas.indices.contains(member) else { break }
        areas.remove(at: member)
        batch.faultCount += 1
      }
    }
    return nil
  }

  private func column() throws -> Int {
    guard let groupColumn else { preconditionFailure("features are not grouped") }
    let fields = input.source.fields
    guard let index = fields.index(named: groupColumn) else {
      let hint = NameSuggestions.hint(groupColumn, among: fields.map(\.name))
      throw PlumbError(
        messageTemplate: "\(.by): the areas have no column \(groupColumn.printable)\(hint)",
        code: .badOption)
    }
    return index
  }
}

extension GeometryEngine {
  fileprivate static func isValid(_ area: Geometry) -> Bool {
    guard case .polygon(let polygon) = area else { return true }
    return isValid(polygon)
  }
}
