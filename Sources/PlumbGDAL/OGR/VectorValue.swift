import CGDAL
import PlumbCore
import PlumbIO

/// Reads one attribute of a feature.
///
/// Dates and times are converted to ISO 8601 strings, binary data to hexadecimal strings, and lists
/// to JSON arrays. A 32-bit float is converted to the double that has the shortest decimal
/// representation of the float.
func vectorValue(_ feature: OGRFeatureH, _ index: Int32, _ field: VectorField) -> FieldValue {
  guard OGR_F_IsFieldSetAndNotNull(feature, index) != 0, let native = field.native else {
    return .null
  }
  switch OGRFieldType(rawValue: native.type) {
  case OFTInteger:
    let value = OGR_F_GetFieldAsInteger(feature, index)
    return field.kind == .boolean ? .boolean(value != 0) : .integer(Int64(value))
  case OFTInteger64: return .integer(OGR_F_GetFieldAsInteger64(feature, index))
  case OFTReal:
    let value = OGR_F_GetFieldAsDouble(feature, index)
    guard field.kind == .float32 else { return .real(value) }
    return .real(Double(Float(value).description) ?? value)
  case OFTDate, OFTTime, OFTDateTime: return dateValue(feature, index, native)
  case OFTBinary:
    var count: Int32 = 0
    guard let bytes = OGR_F_GetFieldAsBinary(feature, index, &count) else { return .null }
    return .text(hexText(UnsafeBufferPointer(start: bytes, count: Int(count))))
  case OFTIntegerList:
    var count: Int32 = 0
    let list = UnsafeBufferPointer(
      start: OGR_F_GetFieldAsIntegerList(feature, index, &count), count: Int(count))
    let isBoolean = native.subtype == OFSTBoolean.rawValue
    return jsonList(list.map { isBoolean ? ($0 != 0 ? "true" : "false") : $0.description })
  case OFTInteger64List:
    var count: Int32 = 0
    let list = UnsafeBufferPointer(
      start: OGR_F_GetFieldAsInteger64List(feature, index, &count), count: Int(count))
    return jsonList(list.map(\.description))
  case OFTRealList:
    var count: Int32 = 0
    let list = UnsafeBufferPointer(
      start: OGR_F_GetFieldAsDoubleList(feature, index, &count), count: Int(count))
    return jsonList(list.map { $0.isFinite ? $0.description : "null" })
  case OFTStringList:
    var texts: [String] = []
    var next = OGR_F_GetFieldAsStringList(feature, index)
    while let item = next?.pointee {
      texts.append(jsonString(vectorText(item)))
      next = next?.advanced(by: 1)
    }
    return jsonList(texts)
  default:
    let text = OGR_F_GetFieldAsString(feature, index).map { vectorText($0) } ?? ""
    return native.subtype == OFSTJSON.rawValue ? .json(text) : .text(text)
  }
}

private func dateValue(
  _ feature: OGRFeatureH, _ index: Int32, _ native: VectorField.Native
) -> FieldValue {
  var (year, month, day): (Int32, Int32, Int32) = (0, 0, 0)
  var (hour, minute, zone): (Int32, Int32, Int32) = (0, 0, 0)
  var second: Float = 0
  guard
    OGR_F_GetFieldAsDateTimeEx(
      feature, index, &year, &month, &day, &hour, &minute, &second, &zone) != 0
  else { return .null }
  let date = ISOTime.dateText(
    CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)))
  if native.type == OFTDate.rawValue { return .text(date) }
  let milliseconds = min(Int64(max(0, min(second, 61)) * 1000 + 0.5), 60_999)
  let time = ISOTime.timeText(
    Int64(hour), Int64(minute), milliseconds / 1000, milliseconds % 1000)
  if native.type == OFTTime.rawValue { return .text(time) }
  // OGR's time zone flag is 0 for an unknown zone, 1 for local time and 100 for UTC. Other values
  // are 100 plus the offset in quarter hours.
  var suffix = ""
  if zone == 100 {
    suffix = "Z"
  } else if zone > 1 {
    let quarters = abs(zone - 100)
    suffix = "\(zone < 100 ? "-" : "+")\(padded(quarters / 4)):\(padded(quarters % 4 * 15))"
  }
  return .text("\(date)T\(time)\(suffix)")
}

private func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

// MARK: Text

private func hexText(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}

/// The bytes of a hexadecimal string; nil if the string is not hexadecimal.
func bytes(hex text: String) -> [UInt8]? {
  var result: [UInt8] = []
  var high: UInt8?
  for byte in text.utf8 {
    guard let digit = hexDigit(byte) else { return nil }
    if let upper = high {
      result.append(upper << 4 | digit)
      high = nil
    } else {
      high = digit
    }
  }
  return high == nil ? result : nil
}

private func jsonList(_ items: [String]) -> FieldValue {
  .json("[" + items.joined(separator: ",") + "]")
}

private func jsonString(_ text: String) -> String {
  var bytes: [UInt8] = []
  JSONText.append(text, to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}
