import PlumbCore

/// A value of an Arcade expression.
///
/// Arrays and dictionaries have reference semantics, as in Arcade, so two names may refer to the
/// same array. A value may be used only by the thread that evaluates the program.
public enum ArcadeValue {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A number. All numbers of the language are doubles.
  case number(Double)
  /// Text.
  case text(String)
  /// A date and time in UTC.
  case date(ArcadeDate)
  /// A list with reference semantics.
  case array(ArcadeArray)
  /// Values by key, with reference semantics.
  case dictionary(ArcadeDictionary)
  /// A feature with attributes and an optional shape.
  case feature(ArcadeFeature)
  /// A shape with its CRS. It is boxed, so that all other values remain small.
  indirect case geometry(Geometry)
  /// A function of the program, or a built-in function used as a value.
  indirect case function(ArcadeCallable)
}

/// A list with indices from 0.
public final class ArcadeArray {
  /// The values, in order. Changes are visible through all references to the list.
  public var elements: [ArcadeValue]

  /// Creates a list of values.
  public init(_ elements: [ArcadeValue] = []) { self.elements = elements }

  deinit { ArcadeTeardown.release(&elements) }
}

/// Values by key, in insertion order. Keys are case-insensitive, like names.
public final class ArcadeDictionary {
  /// The keys as first written, in insertion order.
  public private(set) var keys: [String] = []
  /// The values of the keys, in the same order.
  public private(set) var values: [ArcadeValue] = []
  /// Positions by lower-case key.
  private var positions: [String: Int] = [:]

  /// Creates an empty dictionary.
  public init() {}

  deinit { ArcadeTeardown.release(&values) }

  /// Removes and returns the values, so that they can be released one by one.
  fileprivate func removeValues() -> [ArcadeValue] {
    defer { (keys, values, positions) = ([], [], [:]) }
    return values
  }

  /// The value of a key; nil if the key does not exist. Setting nil removes the key.
  public subscript(key: String) -> ArcadeValue? {
    get { positions[key.lowercased()].map { values[$0] } }
    set {
      let name = key.lowercased()
      switch (positions[name], newValue) {
      case (let position?, let value?): values[position] = value
      case (nil, let value?):
        positions[name] = keys.count
        keys.append(key)
        values.append(value)
      case (let position?, nil):
        keys.remove(at: position)
        values.remove(at: position)
        positions = Dictionary(
          keys.enumerated().map { ($0.element.lowercased(), $0.offset) },
          uniquingKeysWith: { first, _ in first })
      case (nil, nil): break
      }
    }
  }
}

/// Releases nested arrays and dictionaries of any depth without recursion.
private struct ArcadeTeardown {
  private var arrays: [ArcadeArray] = []
  private var dictionaries: [ArcadeDictionary] = []

  static func release(_ values: inout [ArcadeValue]) {
    var teardown = ArcadeTeardown()
    teardown.enqueue(values)
    guard !teardown.arrays.isEmpty || !teardown.dictionaries.isEmpty else { return }
    values = []
    while true {
      if var array = teardown.arrays.popLast() {
        // A container with other references is released together with the last reference.
        guard isKnownUniquelyReferenced(&array) else { continue }
        teardown.enqueue(array.elements)
        array.elements = []
      } else if var dictionary = teardown.dictionaries.popLast() {
        guard isKnownUniquelyReferenced(&dictionary) else { continue }
        teardown.enqueue(dictionary.removeValues())
      } else {
        return
      }
    }
  }

  private mutating func enqueue(_ values: [ArcadeValue]) {
    for value in values {
      switch value {
      case .array(let array): arrays.append(array)
      case .dictionary(let dictionary): dictionaries.append(dictionary)
      default: break
      }
    }
  }
}

/// The columns of features. One object should be created per table and shared by its features.
public final class ArcadeFields: Sendable {
  /// The names of the columns.
  public let names: [String]
  private let positions: [String: Int]

  /// Creates columns with these names. If names are equal, the first column is used.
  public init(_ names: [String]) {
    self.names = names
    // The first of equal names has precedence, and an exact match has precedence over a match in another
    // case.
    let exact = names.enumerated().map { ($0.element, $0.offset) }
    positions = Dictionary(
      exact + exact.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
  }

  /// The position of a field; nil if the field does not exist. An exact match takes precedence over
  /// a match in another case.
  public func position(of name: String) -> Int? { positions[name] ?? positions[name.lowercased()] }
}

/// A feature with a shape, such as `$feature`.
public final class ArcadeFeature {
  /// The columns, shared by all features of a table.
  public let fields: ArcadeFields
  /// The attributes, one per field.
  public var attributes: [ArcadeValue]
  /// The shape with its CRS; nil for a feature without a shape.
  public var geometry: Geometry?

  /// Creates a feature with one attribute per field.
  ///
  /// - Precondition: there are as many attributes as fields.
  public init(fields: ArcadeFields, attributes: [ArcadeValue], geometry: Geometry? = nil) {
    self.fields = fields
    self.attributes = attributes
    self.geometry = geometry
  }
}

extension ArcadeValue {
  /// Creates the value of an attribute. JSON text remains text.
  public init(_ value: FieldValue) {
    self =
      switch value {
      case .null: .null
      case .text(let text), .json(let text): .text(text)
      case .integer(let integer): .number(Double(integer))
      case .real(let real): .number(real)
      case .boolean(let boolean): .boolean(boolean)
      }
  }
}
