import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Writes the values of a column, or of all columns of a feature layer, as delimited text. For
/// speed, the common value types have separate cases.
enum ColumnWriter: Sendable {
  case uint8(SharedPointer<Values<UInt8>>)
  case int16(SharedPointer<Values<Int16>>)
  case uint16(SharedPointer<Values<UInt16>>)
  case float32(SharedPointer<Values<Float>>)
  case float64(SharedPointer<Values<Double>>)
  /// The number of features at the point, and all fields of the topmost feature.
  case features(FeatureAnswer, FeatureTexts)
  /// The status of a raster with one column.
  case status(SharedPointer<UnsafePointer<UInt8>>)
  /// The matched date; the pointer refers to the date of each row.
  case date(SharedPointer<UnsafePointer<Int64>>, DateTexts)
  /// The matched date minus the row's time, in days, or the distance of the cell in metres; NaN if
  /// no date was matched.
  case days(SharedPointer<UnsafePointer<Double>>)
  /// The number of dates that were tried; negative for rows without a point or a time.
  case tried(SharedPointer<UnsafePointer<Int32>>)
  /// The index of a column of another type, which the caller writes with `ResultColumns`.
  case other(Int)

  /// Pointers to the values and statuses of a column. The results that own this memory must outlive
  /// this value.
  package struct Values<Value: BitwiseCopyable>: BitwiseCopyable {
    let values: UnsafePointer<Value>
    let status: UnsafePointer<UInt8>

    init(_ column: ValueColumn, of type: Value.Type) {
      values = UnsafePointer(column.bytes.assumingMemoryBound(to: type))
      status = UnsafePointer(column.status.base)
    }
  }

  /// - Parameter texts: the texts of a feature layer, if this is the layer's first column.
  package init(
    _ index: Int, _ column: ResultColumns.Column, _ answers: MapAnswers, _ texts: FeatureTexts?
  ) {
    if let texts, texts.features === answers.features[column.part].features {
      self = .features(answers.features[column.part], texts)
      return
    }
    guard case .value(let position) = column.content else {
      self = Self.added(index, column, answers)
      return
    }
    let values = answers.rasters[column.part].columns[position]
    switch values.pixelType {
    case .uint8:
      self = .uint8(SharedPointer(Values(values, of: UInt8.self)))
    case .int16:
      self = .int16(SharedPointer(Values(values, of: Int16.self)))
    case .uint16:
      self = .uint16(SharedPointer(Values(values, of: UInt16.self)))
    case .float32:
      self = .float32(SharedPointer(Values(values, of: Float.self)))
    case .float64:
      self = .float64(SharedPointer(Values(values, of: Double.self)))
    default: self = .other(index)
    }
  }

  /// The writer of a column that does not contain the stored values of a band.
  private static func added(
    _ index: Int, _ column: ResultColumns.Column, _ answers: MapAnswers
  ) -> ColumnWriter {
    guard answers.rasters.indices.contains(column.part) else { return .other(index) }
    let answer = answers.rasters[column.part]
    switch (column.content, answer.dates) {
    case (.status, _) where answer.columns.count == 1:
      return .status(SharedPointer(UnsafePointer(answer.columns[0].status.base)))
    case (.date(let texts), let dates?):
      return .date(SharedPointer(UnsafePointer(dates.time.base)), texts)
    case (.days, let dates?): return .days(SharedPointer(UnsafePointer(dates.days.base)))
    case (.distance, let dates?):
      guard let distance = dates.distance else { return .other(index) }
      return .days(SharedPointer(UnsafePointer(distance.base)))
    case (.tried, let dates?): return .tried(SharedPointer(UnsafePointer(dates.tried.base)))
    default: return .other(index)
    }
  }

  /// The number of columns that this writer writes.
  package var columnCount: Int {
    if case .features(_, let texts) = self { 1 + texts.fieldCount } else { 1 }
  }

  /// The approximate number of bytes per row, usually an overestimate.
  var likelyWidth: Int {
    switch self {
    case .uint8: 4
    case .int16, .uint16: 7
    case .features(_, let texts): 3 + max(texts.fieldCount, texts.likelyWidth)
    case .status, .tried: 8
    case .float32, .date, .other: 12
    case .float64, .days: 20
    }
  }

  /// - Returns: the index of a column that the caller has to write with `ResultColumns`; nil if the
  ///   value has been written.
  @inline(__always)
  package func append(_ row: Int, to text: TextBuffer) -> Int? {
    let ok = SampleStatus.ok.rawValue
    switch self {
    case .uint8(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == ok { text.append(unsigned: UInt64(values[row])) }
    case .int16(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == ok { text.append(signed: Int64(values[row])) }
    case .uint16(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == ok { text.append(unsigned: UInt64(values[row])) }
    case .float32(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == ok { NumberText.append(values[row], to: text) }
    case .float64(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == ok { NumberText.append(values[row], to: text) }
    case .features(let answer, let texts):
      if answer.isAnswered(at: row) { text.append(unsigned: UInt64(answer.count(at: row))) }
      texts.append(answer.top(at: row), to: text)
    case .status(let status): text.append(status: status.pointer[row])
    case .date(let times, let texts): texts.append(times.pointer[row], to: text)
    case .days(let days):
      if !days.pointer[row].isNaN { NumberText.append(days.pointer[row], to: text) }
    case .tried(let tried):
      if tried.pointer[row] >= 0 { text.append(signed: Int64(tried.pointer[row])) }
    case .other(let index): return index
    }
    return nil
  }

  /// Appends the value as JSON, or null if the row has no value.
  ///
  /// - Returns: the index of a column that the caller has to write with `ResultColumns`; nil if the
  ///   value has been written.
  @inline(__always)
  func appendJSON(_ row: Int, to text: TextBuffer) -> Int? {
    let before = text.count
    switch self {
    case .uint8, .int16, .uint16: _ = append(row, to: text)
    case .float32(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == SampleStatus.ok.rawValue { text.append(json: values[row]) }
    case .float64(let values):
      let (values, status) = (values.pointer.values, values.pointer.status)
      if status[row] == SampleStatus.ok.rawValue { text.append(json: values[row]) }
    case .days, .tried: _ = append(row, to: text)
    case .status, .date:
      // Statuses and dates do not contain characters that JSON escapes.
      text.append(UInt8(ascii: "\""))
      _ = append(row, to: text)
      if text.count == before + 1 {
        text.removeAll(after: before)
      } else {
        text.append(UInt8(ascii: "\""))
      }
    case .features: return 0
    case .other(let index): return index
    }
    if text.count == before { text.append(literal: "null") }
    return nil
  }
}

extension TextBuffer {
  /// Appends the name of a status, by its raw value.
  fileprivate func append(status: UInt8) {
    switch SampleStatus(rawValue: status) {
    case .ok: append(literal: "ok")
    case .nodata: append(literal: "nodata")
    case .outside: append(literal: "outside")
    case let other?: append(other.name)
    case nil: break
    }
  }
}
