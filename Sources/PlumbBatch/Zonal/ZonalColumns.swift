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

  /// Whether the cells of each class are counted.
  var hasClasses: Bool { self == .classes || self == .wideClasses }
}

/// The name of a raster with dates, and one of the dates.
package struct DatedName: Sendable {
  package var raster: String
  package var date: String

  package init(raster: String, date: String) { (self.raster, self.date) = (raster, date) }
}

/// A band whose cells are evaluated.
struct ZonalBand {
  /// The raster's name in the output.
  var raster: String
  /// The raster and the date of the band, if the raster has dates.
  var dated: DatedName?
  /// The number of the band, counted from 1.
  var number: Int
  /// Whether the raster has more than one band.
  var isOneOfSeveral: Bool
  /// The type of the cells; nil if their values are scaled.
  var type: PixelType?
  /// The scale and the offset of values; 1 and 0 if the values are the stored values of the cells.
  var (scale, offset) = (1.0, 0.0)
  var classes: ClassTable?
  var transform: GridTransform
  /// Whether the cells have a size on the ground.
  var hasSizes: Bool

  /// Returns the name of a class; nil if the class has no name.
  func className(of value: Double) -> String? {
    guard scale != 1 || offset != 0 else { return classes?.name(of: value) }
    // Class tables contain the stored values of the cells, without scale and offset.
    let stored = (value - offset) / scale
    let whole = stored.rounded()
    return classes?.name(of: abs(stored - whole) < 1e-6 * max(1, abs(whole)) ? whole : stored)
  }

  /// The beginning of the names of the band's columns.
  var prefix: String { isOneOfSeveral ? "\(raster)_\(number)_" : "\(raster)_" }
}

/// The columns that `BatchZonal` adds to the columns of the areas, and the values of these columns.
struct ZonalColumns {
  /// The columns in order.
  let fields: [Field]
  let bands: [ZonalBand]
  private let form: ZonalForm
  private let statistics: [ZonalStatistic]
  /// The columns of the statistics, without the name of the raster, for each band.
  private let statisticFields: [[Field]]
  /// Whether each band has a column with the error of its quantiles.
  private let hasRankErrors: Bool
  /// The classes of each band, for `wideClasses`.
  private let classes: [[Double]]

  /// - Parameters:
  ///   - classes: for `wideClasses`, the values that occur in each band.
  ///   - input: the input's columns.
  ///   - hasRankErrors: whether `wide` has a column with the error of the quantiles.
  ///   - ignoresCase: whether names that differ in case only are the same.
  /// - Throws: if two columns would have the same name.
  init(
    _ form: ZonalForm, _ bands: [ZonalBand], _ statistics: [ZonalStatistic],
    classes: [[Double]] = [], input: [Field], hasRankErrors: Bool = false, ignoresCase: Bool
  ) throws(PlumbError) {
    (self.form, self.bands, self.classes) = (form, bands, classes)
    self.statistics = form.hasClasses ? [] : statistics
    self.hasRankErrors = hasRankErrors && form == .wide
    statisticFields = bands.map { band in
      form.hasClasses ? [] : statistics.flatMap { $0.fields("", of: band.type) }
    }
    fields =
      switch form {
      case .wide:
        bands.flatMap { band in
          statistics.flatMap { $0.fields(band.prefix, of: band.type) }
            + Self.quality(of: band.prefix)
            + (hasRankErrors ? [Field(name: "\(band.prefix)rank_error", kind: .real)] : [])
        }
      case .long:
        Self.labels(of: bands) + [
          Field(name: "stat", kind: .text), Field(name: "value", kind: .real),
          Field(name: "status", kind: .text),
        ]
      case .classes:
        Self.labels(of: bands) + [
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

  /// The columns that identify a band: its raster and number, and its date if a band has one.
  private static func labels(of bands: [ZonalBand]) -> [Field] {
    var fields = [Field(name: "raster", kind: .text), Field(name: "band", kind: .integer)]
    if bands.contains(where: { $0.dated != nil }) {
      fields.append(Field(name: "date", kind: .text))
    }
    return fields
  }

  private func labels(_ band: ZonalBand) -> [FieldValue] {
    var values: [FieldValue] = [
      .text(band.dated?.raster ?? band.raster), .integer(Int64(band.number)),
    ]
    if bands.contains(where: { $0.dated != nil }) {
      values.append(band.dated.map { .text($0.date) } ?? .null)
    }
    return values
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
    bands.allSatisfy { $0.type?.zonalKind == .integer } ? .integer : .real
  }

  // MARK: Values

  /// Creates the values of areas, which are set with `set`.
  func values(areaCount: Int) -> ZonalValues {
    ZonalValues(
      areas: areaCount, bands: bands.count, width: width,
      listWidth: statistics.count(where: \.isList), hasClasses: form.hasClasses)
  }

  /// The number of columns of an area in a band.
  private var width: Int {
    statistics.reduce(0) { $0 + $1.columnCount } + (hasRankErrors ? 1 : 0)
  }

  /// Sets the values of an area in a band.
  ///
  /// - Parameters:
  ///   - index: the index of the area and the band in the values.
  ///   - band: the index of the band.
  ///   - area: the index of the area in `areas`.
  func set(
    _ index: Int, in memory: ZonalValues.Memory, _ result: ZonalSampler.Result,
    _ distribution: ZonalDistribution, band: Int, _ areas: ZonalAreas, _ area: Int
  ) {
    let (status, fraction) = areas.status(of: area, result)
    memory.set(index, status, fraction: fraction)
    guard areas.faults[area] == nil, status != .readError else { return }
    if form.hasClasses { return memory.set(index, classes: distribution.entries) }
    guard var target = memory.numbers(index) else { return }
    var list = 0
    for statistic in statistics {
      if statistic.isList {
        memory.set(index, list: list, statistic.list(result.moments, distribution))
        list += 1
      } else if statistic != .area || areas.isAreal[area] {
        // Lines and points have no size on the ground.
        statistic.write(result, distribution, bands[band].transform, to: target)
      }
      target += statistic.columnCount
    }
    if hasRankErrors { target.pointee = distribution.rankError }
  }

  // MARK: Rows

  /// Returns the number of rows of an area.
  func rowCount(of area: Int, _ values: ZonalValues) -> Int {
    switch form {
    case .wide, .wideClasses: 1
    case .long: statisticFields.reduce(0) { $0 + $1.count }
    case .classes:
      // An area without classes still has a row.
      bands.indices.reduce(0) {
        $0 + max(1, values.classes[values.index(area: area, band: $1)].count)
      }
    }
  }

  /// Returns the rows of an area.
  func rows(of area: Int, _ values: ZonalValues) -> [[FieldValue]] {
    switch form {
    case .wide, .wideClasses:
      var row: [FieldValue] = []
      row.reserveCapacity(fields.count)
      for band in bands.indices {
        let index = values.index(area: area, band: band)
        if form == .wide {
          appendStatistics(index, band, values, to: &row)
        } else {
          appendClasses(index, band, values, to: &row)
        }
        row.append(.text(values.statuses[index].rawValue))
        row.append(Self.real(values.fractions[index]))
        if hasRankErrors {
          row.append(Self.real(values.numbers[(index + 1) * values.width - 1]))
        }
      }
      return [row]
    case .long:
      return bands.indices.flatMap {
        longRows(values.index(area: area, band: $0), $0, values)
      }
    case .classes:
      return bands.indices.flatMap {
        classRows(values.index(area: area, band: $0), $0, values)
      }
    }
  }

  private func appendStatistics(
    _ index: Int, _ band: Int, _ values: ZonalValues, to row: inout [FieldValue]
  ) {
    var number = index * values.width
    var list = index * values.listWidth
    for field in statisticFields[band] {
      switch field.kind {
      case .text:
        let text = values.lists[list]
        row.append(text.isEmpty ? .null : .json(text))
        list += 1
      case .integer:
        let value = values.numbers[number]
        // Doubles represent integers up to 2^53 exactly. Larger values were rounded when they were
        // read.
        row.append(
          value.isNaN
            ? .null : .integer(Int64(exactly: value) ?? (value < 0 ? .min : .max)))
      case .real, .boolean: row.append(Self.real(values.numbers[number]))
      }
      number += 1
    }
  }

  private func longRows(_ index: Int, _ band: Int, _ values: ZonalValues) -> [[FieldValue]] {
    var numbers: [FieldValue] = []
    appendStatistics(index, band, values, to: &numbers)
    let labels = labels(bands[band])
    return zip(statisticFields[band], numbers).map { field, value in
      labels + [
        .text(field.name), Self.real(value), .text(values.statuses[index].rawValue),
      ]
    }
  }

  private func classRows(_ index: Int, _ band: Int, _ values: ZonalValues) -> [[FieldValue]] {
    let entries = values.classes[index]
    let band = bands[band]
    let start = labels(band)
    guard !entries.isEmpty else {
      let zeros: [FieldValue] =
        values.isKnown(index) ? [.real(0), band.hasSizes ? .real(0) : .null] : [.null, .null]
      return [start + [.null, .null] + zeros + [.null]]
    }
    let total = entries.reduce(0) { $0 + $1.weight }
    return entries.map { entry in
      start + [
        Self.number(entry.value, band),
        band.className(of: entry.value).map { .text($0) } ?? .null, .real(entry.weight),
        band.hasSizes ? Self.real(entry.area) : .null, .real(entry.weight / total),
      ]
    }
  }

  private func appendClasses(
    _ index: Int, _ band: Int, _ values: ZonalValues, to row: inout [FieldValue]
  ) {
    var known: [Double: ZonalDistribution.Entry] = [:]
    for entry in values.classes[index] { known[entry.value] = entry }
    let isKnown = values.isKnown(index)
    for value in classes[band] {
      let measure = known[value].map { bands[band].hasSizes ? $0.area : $0.weight } ?? 0
      row.append(isKnown ? Self.real(measure) : .null)
    }
  }

  private static func real(_ value: Double) -> FieldValue { value.isNaN ? .null : .real(value) }

  private static func real(_ value: FieldValue) -> FieldValue {
    if case .integer(let number) = value { return .real(Double(number)) }
    return value
  }

  private static func number(_ value: Double, _ band: ZonalBand) -> FieldValue {
    guard band.type?.zonalKind == .integer, let whole = Int64(exactly: value) else {
      return .real(value)
    }
    return .integer(whole)
  }

  private static func text(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? FieldValue.real(value).plainText
  }
}
