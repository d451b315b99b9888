import Plumb
import PlumbIO
import PlumbLayers

/// A field by Esri's type, as its values need it.
struct EsriField: Sendable {
  enum Kind: String, Sendable {
    case objectID = "esriFieldTypeOID"
    case small = "esriFieldTypeSmallInteger"
    case integer = "esriFieldTypeInteger"
    case big = "esriFieldTypeBigInteger"
    case double = "esriFieldTypeDouble"
    case text = "esriFieldTypeString"
    /// Milliseconds since the beginning of 1970 in UTC.
    case date = "esriFieldTypeDate"

    /// The type that databases have for it.
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
  /// Of texts in UTF-16 units, of dates in bytes.
  var length: Int?
  /// Whether its numbers stand for true and false.
  private(set) var isBoolean = false

  init(name: String, kind: Kind, length: Int? = nil) {
    (self.name, self.kind, self.length) = (name, kind, length)
  }

  /// A field of features that were read: its type holds all of their values.
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
      // Clients from before Esri had a type for them take large ones as numbers.
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

  /// A date, or a date and a time, as conditions read them; nil for another text.
  static func milliseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { ISOTime.microseconds($0, .conditions) }.map { time in
      // What is finer is cut off before 1970 as after it.
      (time - (time % 1000 + 1000) % 1000) / 1000
    }
  }

  /// The field's description.
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

  /// The field as replies to queries have it.
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
  /// The value as services write it: 1 and 0 for true and false, lists and objects as texts.
  var esri: FieldValue {
    switch self {
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .json(let text): .text(text)
    case .null, .text, .integer, .real: self
    }
  }
}
