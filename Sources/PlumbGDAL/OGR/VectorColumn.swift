import CGDAL
import PlumbCore

/// The field types that a format can store, as its driver declares them.
struct VectorTypeSupport {
  private let types: Set<String>
  private let subtypes: Set<String>

  init(_ driver: GDALDriverH) {
    let words = { (key: String) -> Set<String> in
      guard let text = GDALGetMetadataItem(driver, key, nil) else { return [] }
      return Set(String(cString: text).split(separator: " ").map(String.init))
    }
    types = words(GDAL_DMD_CREATIONFIELDDATATYPES)
    subtypes = words(GDAL_DMD_CREATIONFIELDDATASUBTYPES)
  }

  /// The closest declaration in which the format can store all values exactly: the same type, a
  /// wider integer, a double instead of a float, or otherwise a string.
  func fitted(_ native: VectorField.Native) -> VectorField.Native {
    let text = VectorField.Native(
      type: OFTString.rawValue, subtype: OFSTNone.rawValue, width: 0, precision: 0)
    var result = native
    if !has(result.type) {
      guard result.type == OFTInteger.rawValue, has(OFTInteger64.rawValue),
        result.subtype != OFSTBoolean.rawValue
      else { return text }
      result.type = OFTInteger64.rawValue
      result.subtype = OFSTNone.rawValue
    }
    guard result.subtype != OFSTNone.rawValue, !hasSubtype(result.subtype) else { return result }
    if result.subtype == OFSTBoolean.rawValue { return text }
    result.subtype = OFSTNone.rawValue
    return result
  }

  private func has(_ type: UInt32) -> Bool {
    guard !types.isEmpty, let name = OGR_GetFieldTypeName(OGRFieldType(rawValue: type)) else {
      return true
    }
    return types.contains(String(cString: name))
  }

  private func hasSubtype(_ subtype: UInt32) -> Bool {
    guard let name = OGR_GetFieldSubTypeName(OGRFieldSubType(rawValue: subtype)) else {
      return false
    }
    return subtypes.contains(String(cString: name))
  }
}

/// A column of a layer that is being written.
struct VectorColumn {
  let name: String
  let index: Int32
  let type: OGRFieldType
  let isBoolean: Bool

  /// A value as it is stored in the column's type.
  enum Stored {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case data([UInt8])
    /// A string that OGR parses: a date, a time or a list.
    case parsed(String)
  }

  /// - Throws: `GDALError` if the column's type cannot represent the value.
  func stored(_ value: FieldValue) throws(GDALError) -> Stored {
    switch (type, value) {
    case (_, .null): return .null
    case (OFTString, _): return .text(text(value))
    case (OFTInteger, .boolean(let boolean)), (OFTInteger64, .boolean(let boolean)):
      return .integer(boolean ? 1 : 0)
    case (OFTInteger, .integer(let integer)):
      guard Int32(exactly: integer) != nil, !isBoolean || integer == 0 || integer == 1 else {
        throw misfit(value)
      }
      return .integer(integer)
    case (OFTInteger64, .integer(let integer)): return .integer(integer)
    case (OFTReal, .real(let real)): return .real(real)
    case (OFTReal, .integer(let integer)): return .real(Double(integer))
    case (OFTReal, .json(let text)):
      guard let real = Double(text) else { throw misfit(value) }
      return .real(real)
    case (OFTBinary, .text(let text)):
      guard let data = bytes(hex: text), data.count <= Int32.max else { throw misfit(value) }
      return .data(data)
    case (OFTDate, .text(let text)), (OFTTime, .text(let text)), (OFTDateTime, .text(let text)),
      (OFTIntegerList, .json(let text)), (OFTInteger64List, .json(let text)),
      (OFTRealList, .json(let text)), (OFTStringList, .json(let text)):
      return .parsed(text)
    default: throw misfit(value)
    }
  }

  /// Stores a value in a feature.
  ///
  /// - Throws: `GDALError` if the column's type cannot represent the value.
  func set(_ value: FieldValue, in feature: OGRFeatureH) throws(GDALError) {
    switch try stored(value) {
    case .null: OGR_F_SetFieldNull(feature, index)
    case .integer(let integer):
      type == OFTInteger
        ? OGR_F_SetFieldInteger(feature, index, Int32(truncatingIfNeeded: integer))
        : OGR_F_SetFieldInteger64(feature, index, integer)
    case .real(let real): OGR_F_SetFieldDouble(feature, index, real)
    case .text(let text): OGR_F_SetFieldString(feature, index, text)
    case .data(let data): OGR_F_SetFieldBinary(feature, index, Int32(data.count), data)
    case .parsed(let text):
      OGR_F_SetFieldString(feature, index, text)
      guard OGR_F_IsFieldSetAndNotNull(feature, index) != 0 else { throw misfit(value) }
    }
  }

  func misfit(_ value: FieldValue) -> GDALError {
    let kind = OGR_GetFieldTypeName(type).map { String(cString: $0) } ?? "other"
    var shown = text(value).prefix(40)
    if shown.utf8.count < text(value).utf8.count { shown += "…" }
    return GDALError(
      "column \"\(name.printable)\" is of type \(kind) "
        + "and cannot hold \"\(String(shown).printable)\"")
  }

  private func text(_ value: FieldValue) -> String {
    switch value {
    case .null: ""
    case .text(let text), .json(let text): text
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }
}
