import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Defines the columns that a batch adds to its rows, and writes their values.
public struct ResultColumns: Sendable {
  /// The form of the values, and the additional columns.
  public struct Options: Sendable {
    /// Whether scale and offset are applied to values.
    public var isScaled = false
    /// Whether each raster has a column with the status of its result.
    public var hasStatus = false
    /// Whether each raster has columns with the file, row and column of the cell.
    public var hasProvenance = false
    /// The columns of dates; nil if no dates are matched.
    package var dates: DateColumns?

    /// Creates options; by default stored values only.
    public init(isScaled: Bool = false, hasStatus: Bool = false, hasProvenance: Bool = false) {
      self.isScaled = isScaled
      self.hasStatus = hasStatus
      self.hasProvenance = hasProvenance
    }
  }

  /// The columns of matched dates.
  package struct DateColumns: Sendable {
    /// The dates of each raster.
    package var texts: [DateTexts]
    /// Whether there is a column with the number of dates that were tried.
    package var hasTried: Bool
    /// Whether there is a column with the distance of the cell that is used.
    package var hasDistance: Bool
    package var result: TimeMatching.Result
  }

  package enum Content: Sendable {
    case value(column: Int)
    case scaled(column: Int, Band)
    case status
    case file, row, column
    /// The matched date.
    case date(DateTexts)
    /// The matched date minus the row's time, in days.
    case days
    /// The distance of the cell in metres.
    case distance
    /// The number of dates that were tried.
    case tried
    /// The number of features of a layer at the point.
    case featureCount
    /// A field of the topmost feature.
    case featureField(Int)
    /// The number of elements of a remote layer at the point, and the topmost element as text.
    case remoteCount, remoteText
    /// A column without values, because the layer is not available.
    case nothing
  }

  /// A raster or a layer that provides result columns.
  package enum Part {
    case raster(Int, RasterSampler.Request)
    case features(Int, [Field])
    case remote(Int)
    case failed
  }

  package struct Column: Sendable {
    package var name: String
    package var kind: FieldKind
    /// The index among the rasters, or among the feature layers.
    package var part: Int
    package var content: Content
    /// The type of the values of a band; nil for other columns.
    package var pixelType: PixelType?
  }

  package let columns: [Column]
  private let rasters: [Int: Raster]
  /// Advice for the user on how to avoid clashing names.
  package let advice: String
  /// A line for each field whose column had to be renamed.
  let renames: [String]

  /// - Parameters:
  ///   - parts: the parts with their names, in the order of their columns.
  ///   - resampling: the resampling method. Any method except nearest makes every value a double.
  ///   - ignoresCase: whether `a` and `A` are the same name in the output.
  package init(
    _ parts: [(name: String, part: Part)], options: Options, resampling: Resampling,
    advice: String, ignoresCase: Bool = false
  ) {
    self.advice = advice
    var rasters: [Int: Raster] = [:]
    var columns: [Column] = []
    var renames: [String] = []
    for (name, part) in parts {
      switch part {
      case .raster(let index, let request):
        rasters[index] = request.raster
        columns += Self.columns(name, index, request, options, resampling)
      case .features(let index, let fields):
        columns.append(
          Column(name: name + ".count", kind: .integer, part: index, content: .featureCount))
        let names = Self.fieldNames(fields, ignoresCase: ignoresCase)
        for (position, field) in fields.enumerated() {
          columns.append(
            Column(
              name: name + "." + names[position], kind: field.kind, part: index,
              content: .featureField(position)))
          if names[position] != field.name {
            renames.append(
              "\(name.printable): the column of its field \(field.name.printable) is called "
                + "\(name.printable).\(names[position].printable)")
          }
        }
      case .remote(let index):
        columns.append(
          Column(name: name + ".count", kind: .integer, part: index, content: .remoteCount))
        columns.append(Column(name: name, kind: .text, part: index, content: .remoteText))
      case .failed: columns.append(Column(name: name, kind: .text, part: 0, content: .nothing))
      }
    }
    self.columns = columns
    self.rasters = rasters
    self.renames = renames
  }

  /// Returns distinct names for the columns of fields. The name `count` is not used, because the
  /// column for the number of features has this name.
  private static func fieldNames(_ fields: [Field], ignoresCase: Bool) -> [String] {
    let key = { (name: String) in ignoresCase ? name.lowercased() : name }
    let written = Set(fields.map { key($0.name) })
    var usedKeys: Set<String> = ["count"]
    return fields.map { field in
      var name = field.name
      var number = 2
      while usedKeys.contains(key(name)) || (number > 2 && written.contains(key(name))) {
        name = "\(field.name)_\(number)"
        number += 1
      }
      usedKeys.insert(key(name))
      return name
    }
  }

  private static func columns(
    _ name: String, _ index: Int, _ request: RasterSampler.Request, _ options: Options,
    _ resampling: Resampling
  ) -> [Column] {
    var columns: [Column] = []
    if case .reduced(let reductions)? = options.dates?.result {
      return reducedColumns(name, index, request, options, reductions, resampling)
    }
    let isInterpolated = options.dates?.result == .interpolated
    for (position, band) in request.bands.enumerated() {
      let facts = request.raster.bands[band]
      let isScaled = options.isScaled && facts.isScaled && !facts.pixelType.isComplex
      let isReal = isScaled || isInterpolated || resampling != .nearest
      columns.append(
        Column(
          name: request.isNumbered ? "\(name)_\(band + 1)" : name,
          kind: isReal ? .real : facts.pixelType.fieldKind, part: index,
          content: isScaled && !isInterpolated
            ? .scaled(column: position, facts) : .value(column: position),
          pixelType: isReal ? .float64 : facts.pixelType))
    }
    func add(_ suffix: String, _ kind: FieldKind, _ content: Content) {
      columns.append(
        Column(name: name + suffix, kind: kind, part: index, content: content))
    }
    if let dates = options.dates {
      add("_date", .text, .date(dates.texts[index]))
      add("_days", .real, .days)
      if dates.hasDistance { add("_distance", .real, .distance) }
      if dates.hasTried { add("_tried", .integer, .tried) }
    }
    if options.hasStatus { add("_status", .text, .status) }
    if options.hasProvenance {
      add("_file", .text, .file)
      add("_row", .integer, .row)
      add("_column", .integer, .column)
    }
    return columns
  }

  /// The columns of statistics of dates.
  private static func reducedColumns(
    _ name: String, _ index: Int, _ request: RasterSampler.Request, _ options: Options,
    _ reductions: [DateReduction], _ resampling: Resampling
  ) -> [Column] {
    var columns: [Column] = []
    for band in request.bands {
      let facts = request.raster.bands[band]
      let isReal = resampling != .nearest || options.isScaled && facts.isScaled
      let stem = request.isNumbered ? "\(name)_\(band + 1)" : name
      for reduction in reductions {
        let kind: FieldKind =
          switch reduction {
          case .count: .integer
          case .min, .max: isReal ? .real : facts.pixelType.fieldKind
          case .mean, .slope: .real
          }
        columns.append(
          Column(
            name: "\(stem)_\(reduction.rawValue)", kind: kind, part: index,
            content: .value(column: columns.count)))
      }
    }
    if options.hasStatus {
      columns.append(Column(name: name + "_status", kind: .text, part: index, content: .status))
    }
    return columns
  }

  /// The columns' names, in order.
  public var names: [String] { columns.map(\.name) }

  /// The columns' names and kinds, in order.
  public var fields: [Field] { columns.map { Field(name: $0.name, kind: $0.kind) } }

  /// - Throws: if a column has the same name as a column of the input or another result column.
  package func checkNames(against input: [String]) throws(PlumbError) {
    let input = Set(input)
    var seen = Set<String>()
    for name in names {
      if input.contains(name) {
        throw PlumbError(
          "the input has a column \(name.printable) already; \(advice)")
      }
      if !seen.insert(name).inserted {
        throw PlumbError(
          "two output columns would be called \(name.printable); \(advice)")
      }
    }
  }

  /// Appends the value as a field of delimited text, which is empty if the row has no value.
  package func append(
    _ column: Column, row: Int, _ answers: MapAnswers, delimiter: UInt8, to text: TextBuffer
  ) {
    guard column.content.isRaster else {
      let value = featureValue(column, row: row, answers)
      return DelimitedRow.append(value, delimiter: delimiter, to: text)
    }
    let answer = answers.rasters[column.part]
    switch column.content {
    case .featureCount, .featureField, .remoteCount, .remoteText, .nothing: break
    case .value(let position):
      if let value = answer.columns[position][row] { text.append(value.description) }
    case .scaled(let position, let band):
      if let value = answer.columns[position][row], let scaled = band.scaled(value) {
        NumberText.append(scaled, to: text)
      }
    case .status: text.append(answer.status(at: row).name)
    case .date, .days, .distance, .tried:
      DelimitedRow.append(
        Self.dateValue(column.content, answer, row), delimiter: delimiter, to: text)
    case .file, .row, .column:
      guard let provenance = answer.provenance, provenance.member[row] >= 0 else { return }
      switch column.content {
      case .file:
        DelimitedRow.append(file(column, provenance, row), delimiter: delimiter, to: text)
      case .row: text.append(signed: Int64(provenance.row[row]))
      default: text.append(signed: Int64(provenance.column[row]))
      }
    }
  }

  /// The value of a column of dates.
  private static func dateValue(
    _ content: Content, _ answer: RasterAnswer, _ row: Int
  ) -> FieldValue {
    guard let dates = answer.dates else { return .null }
    let hasDate = dates.time[row] != RowTimes.none
    switch content {
    case .date(let texts): return texts.text(dates.time[row]).map { .text($0) } ?? .null
    case .days: return hasDate ? .real(dates.days[row]) : .null
    case .distance:
      guard let distance = dates.distance?[row], !distance.isNaN else { return .null }
      return .real(distance)
    default: return dates.tried[row] < 0 ? .null : .integer(Int64(dates.tried[row]))
    }
  }

  private func file(
    _ column: Column, _ provenance: RasterAnswer.Provenance, _ row: Int
  ) -> String {
    rasters[column.part]?.members[Int(provenance.member[row])].path ?? ""
  }

  private func featureValue(_ column: Column, row: Int, _ answers: MapAnswers) -> FieldValue {
    switch column.content {
    case .remoteCount:
      let answer = answers.remotes[column.part][row]
      return answer.error == nil ? .integer(Int64(answer.elements.count)) : .null
    case .remoteText:
      return answers.remotes[column.part][row].elements.first.map { .text($0.summary) } ?? .null
    default: break
    }
    guard column.content.isFeatures else { return .null }
    let answer = answers.features[column.part]
    guard answer.failure(at: row) == nil, let features = answer.features else { return .null }
    let items = answer.items(at: row)
    switch column.content {
    case .featureField(let position):
      return items.last.map { features.features[Int($0)].attributes[position] } ?? .null
    default: return .integer(Int64(items.count))
    }
  }

  /// Returns the value for typed formats, with complex numbers as text.
  ///
  /// - Parameter isJSON: whether 32-bit floats keep their shortest decimal form, which is shorter
  ///   than the form of the equal double.
  package func fieldValue(
    _ column: Column, row: Int, _ answers: MapAnswers, isJSON: Bool
  ) -> FieldValue {
    guard column.content.isRaster else { return featureValue(column, row: row, answers) }
    let answer = answers.rasters[column.part]
    switch column.content {
    case .featureCount, .featureField, .remoteCount, .remoteText, .nothing: return .null
    case .value(let position):
      return answer.columns[position][row].map { $0.fieldValue(isJSON: isJSON) } ?? .null
    case .scaled(let position, let band):
      return answer.columns[position][row].flatMap { band.scaled($0) }.map { .real($0) } ?? .null
    case .status: return .text(answer.status(at: row).name)
    case .date, .days, .distance, .tried: return Self.dateValue(column.content, answer, row)
    case .file, .row, .column:
      guard let provenance = answer.provenance, provenance.member[row] >= 0 else { return .null }
      switch column.content {
      case .file: return .text(file(column, provenance, row))
      case .row: return .integer(Int64(provenance.row[row]))
      default: return .integer(Int64(provenance.column[row]))
      }
    }
  }
}

extension RasterSampler.Request {
  /// Whether the names of its columns contain the numbers of the bands.
  fileprivate var isNumbered: Bool { numbersBands && raster.bands.count > 1 }
}

extension ResultColumns.Content {
  fileprivate var isFeatures: Bool {
    switch self {
    case .featureCount, .featureField: true
    default: false
    }
  }

  /// The position of the column's band among the bands that are read; 0 for other columns.
  var bandPosition: Int {
    switch self {
    case .value(let position), .scaled(let position, _): position
    default: 0
    }
  }

  fileprivate var isRaster: Bool {
    switch self {
    case .featureCount, .featureField, .remoteCount, .remoteText, .nothing: false
    default: true
    }
  }
}

extension GeoElement {
  /// The values of a cell's bands, or the attributes of a feature as JSON.
  package var summary: String {
    switch self {
    case .cell(let cell):
      return cell.attributes.filter { $0.name.hasPrefix("Band_") }
        .map { $0.value.fieldValue.text }.joined(separator: " ")
    case .feature(let feature):
      var object = JSONObject()
      for attribute in feature.attributes { object.add(attribute.name, attribute.value) }
      return object.text
    }
  }
}

extension PixelType {
  /// The column type that can represent every value, which is text if table formats have no such
  /// type.
  var fieldKind: FieldKind {
    switch self {
    case .uint64, .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: .text
    case .float32, .float64: .real
    default: .integer
    }
  }
}
