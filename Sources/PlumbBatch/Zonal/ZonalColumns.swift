import PlumbCore
import PlumbRaster

/// The arrangement of statistics in the output.
package enum ZonalForm: Sendable, Hashable {
  /// One row per area, with columns for each raster, band and statistic.
  case wide
  /// One row per area, raster, band and statistic.
  case long
  /// One row per area, raster, band and class.
  case classes
  /// One row per area, with columns for each raster, band and class.
  case wideClasses
}

/// A band whose cells are evaluated.
struct ZonalBand {
  /// The raster's name in the output.
  var raster: String
  /// The number of the band, counted from 1.
  var number: Int
  /// Whether the raster has more than one band.
  var isOneOfSeveral: Bool
  /// The type of the cells; nil if their values are scaled.
  var type: PixelType?
  /// The scale and the offset of values; 1 and 0 if they are those of the cells.
  var (scale, offset) = (1.0, 0.0)
  var classes: ClassTable?
  var transform: GridTransform
  /// Whether the cells have a size on the ground.
  var hasSizes: Bool

  /// The name of a class; nil if it has none.
  func className(of value: Double) -> String? {
    guard scale != 1 || offset != 0 else { return classes?.name(of: value) }
    // Class tables have the values of the cells, before they are scaled.
    let stored = (value - offset) / scale
    let whole = stored.rounded()
    return classes?.name(of: abs(stored - whole) < 1e-6 * max(1, abs(whole)) ? whole : stored)
  }

  /// The beginning of the names of the band's columns.
  var prefix: String { isOneOfSeveral ? "\(raster)_\(number)_" : "\(raster)_" }
}

/// The columns that `BatchZonal` adds to those of the areas, and their values.
struct ZonalColumns {
  /// The columns in order.
  let fields: [Field]
  private let form: ZonalForm
  private let statistics: [ZonalStatistic]
  /// Whether each band has a column with the error of its quantiles.
  private let hasRankErrors: Bool
  /// The classes of each band, for `wideClasses`.
  private let classes: [[Double]]

  /// - Parameters:
  ///   - classes: for `wideClasses`, the values that occur in each band.
  ///   - input: the input's columns.
  ///   - hasRankErrors: whether `wide` has a column with the error of the quantiles.
  ///   - ignoresCase: whether names that differ in case only are the same.
  /// - Throws: if a column would have the name of another.
  init(
    _ form: ZonalForm, _ bands: [ZonalBand], _ statistics: [ZonalStatistic],
    classes: [[Double]] = [], input: [Field], hasRankErrors: Bool = false, ignoresCase: Bool
  ) throws(PlumbError) {
    (self.form, self.statistics, self.classes) = (form, statistics, classes)
    self.hasRankErrors = hasRankErrors
    fields =
      switch form {
      case .wide:
        bands.flatMap { band in
          statistics.flatMap { $0.fields(band.prefix, of: band.type) }
            + Self.quality(of: band.prefix)
            + (hasRankErrors ? [Field(name: "\(band.prefix)rank_error", kind: .real)] : [])
        }
      case .long:
        [
          Field(name: "raster", kind: .text), Field(name: "band", kind: .integer),
          Field(name: "stat", kind: .text), Field(name: "value", kind: .real),
          Field(name: "status", kind: .text),
        ]
      case .classes:
        [
          Field(name: "raster", kind: .text), Field(name: "band", kind: .integer),
          Field(name: "class", kind: Self.kind(of: bands)),
          Field(name: "class_name", kind: .text), Field(name: "count", kind: .real),
          Field(name: "area", kind: .real), Field(name: "share", kind: .real),
        ]
      case .wideClasses:
        zip(bands, classes).flatMap { band, classes in
          classes.map {
            let measure = band.hasSizes ? "area" : "count"
            return Field(name: "\(band.prefix)\(measure)_\(Self.text($0))", kind: .real)
          } + Self.quality(of: band.prefix)
        }
      }
    let isFixed = form == .long || form == .classes
    try Self.check(
      fields, input: input, ignoresCase: ignoresCase,
      advice: isFixed ? "rename it" : "rename the raster or the column")
  }

  private static func quality(of prefix: String) -> [Field] {
    [
      Field(name: "\(prefix)status", kind: .text),
      Field(name: "\(prefix)valid_fraction", kind: .real),
    ]
  }

  private static func check(
    _ fields: [Field], input: [Field], ignoresCase: Bool, advice: String
  ) throws(PlumbError) {
    let key = { (name: String) in ignoresCase ? name.lowercased() : name }
    let known = Set(input.map { key($0.name) })
    var seen: Set<String> = []
    for field in fields {
      if known.contains(key(field.name)) {
        throw PlumbError(
          "the input has a column \(field.name.printable) already; \(advice)")
      }
      if !seen.insert(key(field.name)).inserted {
        throw PlumbError(
          "two output columns would be called \(field.name.printable); rename one of the rasters")
      }
    }
  }

  private static func kind(of bands: [ZonalBand]) -> FieldKind {
    bands.allSatisfy { $0.type?.fieldKind == .integer } ? .integer : .real
  }

  /// The values of an area in one band.
  struct Values: Sendable {
    /// The rows that the band adds; for `wide` and `wideClasses`, the columns that it adds to the only row.
    var rows: [[FieldValue]] = []
    /// The classes with their coverage, for `wideClasses`.
    var entries: [ZonalDistribution.Entry] = []
    var status = ZonalStatus.ok
    var fraction: Double?
  }

  /// The values of an area in one band.
  func values(
    _ result: ZonalSampler.Result, _ distribution: ZonalDistribution, of band: ZonalBand,
    _ areas: ZonalAreas, _ area: Int
  ) -> Values {
    var values = Values()
    (values.status, values.fraction) = areas.status(of: area, result)
    let isKnown = areas.faults[area] == nil && values.status != .readError
    switch form {
    case .wide:
      var row: [FieldValue] = []
      for statistic in statistics {
        row += statisticValues(
          statistic, isKnown, result, distribution, band, areas, area)
      }
      row += Self.quality(values)
      if hasRankErrors { row.append(isKnown ? .real(distribution.rankError) : .null) }
      values.rows = [row]
    case .long:
      for statistic in statistics {
        let names = statistic.fields("", of: band.type).map(\.name)
        let numbers = statisticValues(
          statistic, isKnown, result, distribution, band, areas, area)
        for (name, number) in zip(names, numbers) {
          values.rows.append([
            .text(band.raster), .integer(Int64(band.number)), .text(name), Self.real(number),
            .text(values.status.rawValue),
          ])
        }
      }
    case .classes:
      let entries = isKnown ? distribution.entries : []
      let total = entries.reduce(0) { $0 + $1.weight }
      values.rows = entries.map { entry in
        [
          .text(band.raster), .integer(Int64(band.number)), Self.number(entry.value, band),
          band.className(of: entry.value).map { .text($0) } ?? .null, .real(entry.weight),
          band.hasSizes && !entry.area.isNaN ? .real(entry.area) : .null,
          .real(entry.weight / total),
        ]
      }
      // An area without classes keeps a row.
      if entries.isEmpty {
        values.rows = [
          [.text(band.raster), .integer(Int64(band.number)), .null, .null]
            + (isKnown ? [.real(0), band.hasSizes ? .real(0) : .null] : [.null, .null]) + [.null]
        ]
      }
    case .wideClasses:
      values.entries = isKnown ? distribution.entries : []
      if !isKnown { values.rows = [[]] }
    }
    return values
  }

  /// The columns of an area in one band, for `wideClasses`.
  ///
  /// - Parameter index: the index of the band.
  func wideRow(_ values: Values, band: ZonalBand, at index: Int) -> [FieldValue] {
    var known: [Double: ZonalDistribution.Entry] = [:]
    for entry in values.entries { known[entry.value] = entry }
    let isKnown = values.rows.isEmpty
    return classes[index].map { value in
      guard isKnown else { return .null }
      let measure = known[value].map { band.hasSizes ? $0.area : $0.weight } ?? 0
      return measure.isNaN ? .null : .real(measure)
    } + Self.quality(values)
  }

  private static func quality(_ values: Values) -> [FieldValue] {
    [.text(values.status.rawValue), values.fraction.map { .real($0) } ?? .null]
  }

  private func statisticValues(
    _ statistic: ZonalStatistic, _ isKnown: Bool, _ result: ZonalSampler.Result,
    _ distribution: ZonalDistribution, _ band: ZonalBand, _ areas: ZonalAreas, _ area: Int
  ) -> [FieldValue] {
    guard isKnown else {
      return statistic.fields("", of: band.type).map { _ in .null }
    }
    // A line and a point have no size on the ground.
    if statistic == .area, !areas.isAreal[area] { return [.null] }
    return statistic.values(result, distribution, of: band.type, band.transform)
  }

  private static func real(_ value: FieldValue) -> FieldValue {
    if case .integer(let number) = value { return .real(Double(number)) }
    return value
  }

  private static func number(_ value: Double, _ band: ZonalBand) -> FieldValue {
    guard band.type?.fieldKind == .integer, let whole = Int64(exactly: value) else {
      return .real(value)
    }
    return .integer(whole)
  }

  private static func text(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? FieldValue.real(value).plainText
  }
}
