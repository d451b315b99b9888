import CGDAL
import PlumbCore

/// A column of an OGR layer that has been read or will be written.
public struct VectorField: Sendable, Hashable {
  /// The type of a column of values from Plumb.
  public enum Kind: Sendable, Hashable {
    /// 32-bit and 64-bit integers, doubles, strings and booleans.
    case integer32, integer64, real, text, boolean
    /// A 32-bit float.
    case float32
    /// A date and time as an ISO 8601 string.
    case dateTime
    /// A date as an ISO 8601 string.
    case date
  }

  /// The column's name. Formats with stricter rules change the name when the column is written.
  public var name: String
  /// The type of its values.
  public var kind: Kind
  /// The declaration in the layer that the column was read from; nil for a new column. The
  /// declaration is kept if the target format supports the type.
  var native: Native?

  /// Creates a column to be written.
  public init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Creates a column for the values of a table's field. Integers have 64 bits.
  public init(_ field: Field) {
    switch field.kind {
    case .text: self.init(name: field.name, kind: .text)
    case .integer: self.init(name: field.name, kind: .integer64)
    case .real: self.init(name: field.name, kind: .real)
    case .boolean: self.init(name: field.name, kind: .boolean)
    }
  }

  /// The column as a format-independent field.
  public var field: Field {
    switch kind {
    case .integer32, .integer64: Field(name: name, kind: .integer)
    case .real, .float32: Field(name: name, kind: .real)
    case .text, .dateTime, .date: Field(name: name, kind: .text)
    case .boolean: Field(name: name, kind: .boolean)
    }
  }

  /// Whether a database compares the column's values with constants as Plumb does.
  var isComparable: Bool {
    guard let native else { return false }
    switch (OGRFieldType(rawValue: native.type), OGRFieldSubType(rawValue: native.subtype)) {
    case (OFTInteger, OFSTNone), (OFTInteger, OFSTInt16), (OFTInteger, OFSTBoolean),
      (OFTInteger64, OFSTNone), (OFTReal, OFSTNone), (OFTString, OFSTNone):
      return true
    default: return false
    }
  }

  /// An OGR field's declaration.
  struct Native: Sendable, Hashable {
    var type: UInt32
    var subtype: UInt32
    var width: Int32
    var precision: Int32
  }
}

extension VectorField {
  init(definition: OGRFieldDefnH) {
    let type = OGR_Fld_GetType(definition)
    let subtype = OGR_Fld_GetSubType(definition)
    name = OGR_Fld_GetNameRef(definition).map { vectorText($0) } ?? ""
    switch type {
    case OFTInteger where subtype == OFSTBoolean: kind = .boolean
    case OFTInteger: kind = .integer32
    case OFTInteger64: kind = .integer64
    case OFTReal: kind = subtype == OFSTFloat32 ? .float32 : .real
    default: kind = .text
    }
    native = Native(
      type: type.rawValue, subtype: subtype.rawValue, width: OGR_Fld_GetWidth(definition),
      precision: OGR_Fld_GetPrecision(definition))
  }

  /// The OGR type and subtype that represent this column's values exactly.
  var declaration: Native {
    if let native { return native }
    let (type, subtype): (OGRFieldType, OGRFieldSubType) =
      switch kind {
      case .integer32: (OFTInteger, OFSTNone)
      case .integer64: (OFTInteger64, OFSTNone)
      case .real: (OFTReal, OFSTNone)
      case .float32: (OFTReal, OFSTFloat32)
      case .text: (OFTString, OFSTNone)
      case .dateTime: (OFTDateTime, OFSTNone)
      case .date: (OFTDate, OFSTNone)
      case .boolean: (OFTInteger, OFSTBoolean)
      }
    return Native(type: type.rawValue, subtype: subtype.rawValue, width: 0, precision: 0)
  }
}
