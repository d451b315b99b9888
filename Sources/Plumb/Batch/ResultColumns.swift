import PlumbCore
import PlumbFormats
import PlumbRaster

/// Which columns a batch adds to its rows, and how to write their values.
public struct ResultColumns: Sendable {
  public struct Options: Sendable {
    public var isScaled = false
    public var hasStatus = false
    public var hasProvenance = false

    public init(isScaled: Bool = false, hasStatus: Bool = false, hasProvenance: Bool = false) {
      self.isScaled = isScaled
      self.hasStatus = hasStatus
      self.hasProvenance = hasProvenance
    }
  }

  enum Content: Sendable {
    case value(column: Int)
    case scaled(column: Int, Band)
    case status
    case file, row, column
  }

  struct Column: Sendable {
    var name: String
    var kind: FieldKind
    var request: Int
    var content: Content
  }

  let columns: [Column]
  private let rasters: [Raster]

  /// - Parameter resampling: other than nearest makes every value a double.
  init(_ requests: [RasterSampler.Request], options: Options, resampling: Resampling) {
    rasters = requests.map(\.raster)
    var columns: [Column] = []
    for (index, request) in requests.enumerated() {
      let name = request.raster.name
      for (position, band) in request.bands.enumerated() {
        let facts = request.raster.bands[band]
        let isScaled = options.isScaled && facts.isScaled && !facts.pixelType.isComplex
        let isReal = isScaled || resampling != .nearest
        columns.append(
          Column(
            name: request.raster.bands.count == 1 ? name : "\(name)_\(band + 1)",
            kind: isReal ? .real : facts.pixelType.fieldKind, request: index,
            content: isScaled ? .scaled(column: position, facts) : .value(column: position)))
      }
      func add(_ suffix: String, _ kind: FieldKind, _ content: Content) {
        columns.append(
          Column(name: name + suffix, kind: kind, request: index, content: content))
      }
      if options.hasStatus { add("_status", .text, .status) }
      if options.hasProvenance {
        add("_file", .text, .file)
        add("_row", .integer, .row)
        add("_column", .integer, .column)
      }
    }
    self.columns = columns
  }

  public var names: [String] { columns.map(\.name) }

  public var fields: [Field] { columns.map { Field(name: $0.name, kind: $0.kind) } }

  /// - Throws: when a column's name is one of the input's, or two are the same.
  func checkNames(against input: [String]) throws(PlumbError) {
    var seen = Set<String>()
    for name in names {
      if input.contains(name) {
        throw PlumbError(
          "the input has a column \(name.printable) already; "
            + "name the raster otherwise with NAME=PATH")
      }
      if !seen.insert(name).inserted {
        throw PlumbError(
          "two output columns would be called \(name.printable); "
            + "name a raster otherwise with NAME=PATH")
      }
    }
  }

  /// Appends the value as a field of delimited text: nothing where there is none.
  func append(
    _ column: Column, row: Int, _ answers: [RasterAnswer], delimiter: UInt8, to text: TextBuffer
  ) {
    let answer = answers[column.request]
    switch column.content {
    case .value(let position):
      if let value = answer.columns[position][row] { text.append(value.description) }
    case .scaled(let position, let band):
      if let value = answer.columns[position][row], let scaled = band.scaled(value) {
        text.append(scaled.description)
      }
    case .status: text.append(answer.status(at: row).name)
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

  private func file(
    _ column: Column, _ provenance: RasterAnswer.Provenance, _ row: Int
  ) -> String {
    rasters[column.request].members[Int(provenance.member[row])].path
  }

  /// The value for formats with types, complex numbers as text.
  ///
  /// - Parameter isJSON: keeps a float's own shortest form, which is shorter than its double's.
  func fieldValue(
    _ column: Column, row: Int, _ answers: [RasterAnswer], isJSON: Bool
  ) -> FieldValue {
    let answer = answers[column.request]
    switch column.content {
    case .value(let position):
      return answer.columns[position][row].map { $0.fieldValue(isJSON: isJSON) } ?? .null
    case .scaled(let position, let band):
      return answer.columns[position][row].flatMap { band.scaled($0) }.map { .real($0) } ?? .null
    case .status: return .text(answer.status(at: row).name)
    case .file, .row, .column:
      guard let provenance = answer.provenance, provenance.member[row] >= 0 else { return .null }
      switch column.content {
      case .file: return .text(file(column, provenance, row))
      case .row: return .integer(Int64(provenance.row[row]))
      default: return .integer(Int64(provenance.column[row]))
      }
    }
  }

  /// The values of a row as JSON members.
  func members(row: Int, _ answers: [RasterAnswer]) -> [(name: String, value: FieldValue)] {
    columns.map { ($0.name, fieldValue($0, row: row, answers, isJSON: true)) }
  }
}

extension PixelType {
  /// The kind of column that holds every value; text where table formats have none.
  fileprivate var fieldKind: FieldKind {
    switch self {
    case .uint64, .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: .text
    case .float32, .float64: .real
    default: .integer
    }
  }
}

extension CellValue {
  fileprivate func fieldValue(isJSON: Bool) -> FieldValue {
    switch self {
    case .signed(let value): .integer(value)
    case .unsigned(let value):
      Int64(exactly: value).map { .integer($0) }
        ?? (isJSON ? .json(value.description) : .text(value.description))
    case .float32(let value):
      isJSON && value.isFinite ? .json(value.description) : .real(Double(value))
    case .float64(let value): .real(value)
    case .complexInteger, .complexFloat32, .complexFloat64: .text(description)
    }
  }
}
