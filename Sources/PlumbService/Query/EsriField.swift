import Plumb
import PlumbIO
import PlumbLayers

/// A field with an Esri type that can represent its values.
struct EsriField: Sendable {
  enum Kind: String, Sendable {
    case objectID = "esriFieldTypeOID"
    case small = "esriFieldTypeSmallInteger"
    case integer = "esriFieldTypeInteger"
    case big = "esriFieldTypeBigInteger"
    case double = "esriFieldTypeDouble"
    case text = "esriFieldTypeString"
    /// Milliseconds since 1970 in UTC.
    case date = "esriFieldTypeDate"

    /// The SQL type.
    var sqlType: String {
      switch self {
      case .objectID, .integer: "sqlTypeInteger"
      case .small: "sqlTypeSmallInt"
      case .big: "sqlTypeBigInt"
      case .double: "sqlTypeDouble"
      case .text: "sqlTypeNVarchar"
      case .date: "sqlTypeTimestamp2"
      }
    }
  }

  var name: String
  var kind: Kind
  /// The maximum length, in UTF-16 code units for text and in bytes for dates.
  var length: Int?
  /// Whether the numbers represent true and false.
  private(set) var isBoolean = false

  init(name: String, kind: Kind, length: Int? = nil) {
    (self.name, self.kind, self.length) = (name, kind, length)
  }

  /// Creates a field of a feature set, with a type that can represent all of the field's values.
  init(_ set: FeatureSet, _ index: Int) {
    let field = set.fields[index]
    name = field.name
    switch field.kind {
    case .real: kind = .double
    case .boolean: (kind, isBoolean) = (.small, true)
    case .integer:
      var (low, high) = (Int64.max, Int64.min)
      for feature in set.features {
        if case .integer(let value)? = feature.attributes[safe: index] {
          (low, high) = (min(low, value), max(high, value))
        }
      }
      let exact: Int64 = 1 << 53
      // Large integers become reals if reals represent them exactly, because some clients do not
      // support Esri's big integer type.
      kind =
        low > high || low >= Int64(Int32.min) && high <= Int64(Int32.max)
        ? .integer : low >= -exact && high <= exact ? .double : .big
    case .text:
      let texts = set.features.lazy.compactMap { feature in
        switch feature.attributes[safe: index] {
        case .text(let text)?, .json(let text)?: text
        default: nil
        }
      }
      if !texts.isEmpty, texts.allSatisfy({ Self.milliseconds($0) != nil }) {
        (kind, length) = (.date, 8)
      } else {
        kind = .text
        length = max(255, texts.map(\.utf16.count).max() ?? 0)
      }
    }
  }

  /// Parses a date, or a date and a time, as in conditions; nil for other text.
  static func milliseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { ISOTime.microseconds($0, .conditions) }.map { time in
      // The time is rounded down to milliseconds. The double remainder makes this correct for times
      // before 1970.
      (time - (time % 1000 + 1000) % 1000) / 1000
    }
  }

  /// The description of the field.
  var json: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("type", kind.rawValue)
    object.add("alias", name)
    object.add("sqlType", isBoolean ? "sqlTypeBit" : kind.sqlType)
    if let length { object.add("length", length) }
    object.add("nullable", kind != .objectID)
    object.add("editable", false)
    object.add("domain", .null)
    object.add("defaultValue", .null)
    return object
  }

  /// The field in query replies.
  var briefJSON: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("type", kind.rawValue)
    object.add("alias", name)
    object.add("sqlType", isBoolean ? "sqlTypeBit" : kind.sqlType)
    if let length { object.add("length", length) }
    object.add("domain", .null)
    object.add("defaultValue", .null)
    return object
  }
}

extension Array {
  subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension FieldValue {
  /// The value as Esri services write it. Booleans are 1 and 0, and lists and objects are strings.
  var esri: FieldValue {
    switch self {
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .json(let text): .text(text)
    case .null, .text, .integer, .real: self
    }
  }
}
