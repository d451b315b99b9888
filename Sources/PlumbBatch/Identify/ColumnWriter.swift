import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Writes the values of a column, or of all columns of a feature layer, as delimited text: for those
/// that most rows have, without a look at what else a column may be.
package enum ColumnWriter {
  case uint8(UnsafePointer<UInt8>, UnsafePointer<UInt8>)
  case int16(UnsafePointer<Int16>, UnsafePointer<UInt8>)
  case uint16(UnsafePointer<UInt16>, UnsafePointer<UInt8>)
  case float32(UnsafePointer<Float>, UnsafePointer<UInt8>)
  case float64(UnsafePointer<Double>, UnsafePointer<UInt8>)
  /// The count and all fields of the topmost feature.
  case features(FeatureAnswer, FeatureTexts)
  /// To be written the general way, by its index.
  case other(Int)

  /// - Parameter texts: of the feature layer whose first column this is.
  package init(
    _ index: Int, _ column: ResultColumns.Column, _ answers: MapAnswers, _ texts: FeatureTexts?
  ) {
    if let texts, texts.features === answers.features[column.part].features {
      self = .features(answers.features[column.part], texts)
      return
    }
    guard case .value(let position) = column.content else {
      self = .other(index)
      return
    }
    let values = answers.rasters[column.part].columns[position]
    let status = UnsafePointer(values.status.base)
    switch values.pixelType {
    case .uint8:
      self = .uint8(UnsafePointer(values.bytes.assumingMemoryBound(to: UInt8.self)), status)
    case .int16:
      self = .int16(UnsafePointer(values.bytes.assumingMemoryBound(to: Int16.self)), status)
    case .uint16:
      self = .uint16(UnsafePointer(values.bytes.assumingMemoryBound(to: UInt16.self)), status)
    case .float32:
      self = .float32(UnsafePointer(values.bytes.assumingMemoryBound(to: Float.self)), status)
    case .float64:
      self = .float64(UnsafePointer(values.bytes.assumingMemoryBound(to: Double.self)), status)
    default: self = .other(index)
    }
  }

  /// How many columns it writes.
  package var columnCount: Int {
    if case .features(_, let texts) = self { 1 + texts.fieldCount } else { 1 }
  }

  /// About how many bytes it writes for a row, more rather than less.
  package var likelyWidth: Int {
    switch self {
    case .uint8: 4
    case .int16, .uint16: 7
    case .features(_, let texts): 3 + max(texts.fieldCount, texts.likelyWidth)
    case .float32, .other: 12
    case .float64: 20
    }
  }

  /// - Returns: the column that has to be written the general way, instead; nil when it is done.
  @inline(__always)
  package func append(_ row: Int, to text: TextBuffer) -> Int? {
    let ok = PlaceStatus.ok.rawValue
    switch self {
    case .uint8(let values, let status):
      if status[row] == ok { text.append(unsigned: UInt64(values[row])) }
    case .int16(let values, let status):
      if status[row] == ok { text.append(signed: Int64(values[row])) }
    case .uint16(let values, let status):
      if status[row] == ok { text.append(unsigned: UInt64(values[row])) }
    case .float32(let values, let status):
      if status[row] == ok { text.append(values[row].description) }
    case .float64(let values, let status):
      if status[row] == ok { text.append(values[row].description) }
    case .features(let answer, let texts):
      if answer.isAnswered(at: row) { text.append(unsigned: UInt64(answer.count(at: row))) }
      texts.append(answer.top(at: row), to: text)
    case .other(let index): return index
    }
    return nil
  }
}
