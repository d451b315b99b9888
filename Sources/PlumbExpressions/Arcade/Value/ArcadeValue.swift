import PlumbCore

/// What an Arcade expression works with and gives.
///
/// Arrays and dictionaries are references, as in Arcade: two names may hold the same one. A value
/// belongs to the thread that evaluates.
public enum ArcadeValue {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A double, as all numbers of the language are.
  case number(Double)
  /// A text.
  case text(String)
  /// A moment in UTC.
  case date(ArcadeDate)
  /// A list, shared by all who hold it.
  case array(ArcadeArray)
  /// Values by name, shared by all who hold it.
  case dictionary(ArcadeDictionary)
  /// A row with its attributes and perhaps a shape.
  case feature(ArcadeFeature)
  // Boxed, so that all other values stay small.
  /// A shape in its own reference.
  indirect case geometry(Geometry)
  /// One that the program declares, or a built-in one that is handed on by its name.
  indirect case function(ArcadeCallable)
}

/// A list that grows; indices from 0.
public final class ArcadeArray {
  /// The values, in order. Whoever else holds the list sees them change.
  public var elements: [ArcadeValue]

  /// A new list of these values.
  public init(_ elements: [ArcadeValue] = []) { self.elements = elements }

  deinit { ArcadeTeardown.release(&elements) }
}

/// Values by key, in the order in which keys came. Keys are distinguished without case, as names
/// are.
public final class ArcadeDictionary {
  /// The keys as they were first written, in the order in which they came.
  public private(set) var keys: [String] = []
  /// One for each key, in the same order.
  public private(set) var values: [ArcadeValue] = []
  /// Positions by lower-case key.
  private var positions: [String: Int] = [:]

  /// A dictionary without keys.
  public init() {}

  deinit { ArcadeTeardown.release(&values) }

  /// Gives up the values, so that they can go one by one.
  fileprivate func takeValues() -> [ArcadeValue] {
    defer { (keys, values, positions) = ([], [], [:]) }
    return values
  }

  /// The value of a key; nil when there is none. Setting nil removes the key.
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

/// Ends arrays and dictionaries that nest, however deep, without recursion.
private struct ArcadeTeardown {
  private var arrays: [ArcadeArray] = []
  private var dictionaries: [ArcadeDictionary] = []

  static func release(_ values: inout [ArcadeValue]) {
    var teardown = ArcadeTeardown()
    teardown.take(values)
    guard !teardown.arrays.isEmpty || !teardown.dictionaries.isEmpty else { return }
    values = []
    while true {
      if var array = teardown.arrays.popLast() {
        // What something else holds too goes with that.
        guard isKnownUniquelyReferenced(&array) else { continue }
        teardown.take(array.elements)
        array.elements = []
      } else if var dictionary = teardown.dictionaries.popLast() {
        guard isKnownUniquelyReferenced(&dictionary) else { continue }
        teardown.take(dictionary.takeValues())
      } else {
        return
      }
    }
  }

  private mutating func take(_ values: [ArcadeValue]) {
    for value in values {
      switch value {
      case .array(let array): arrays.append(array)
      case .dictionary(let dictionary): dictionaries.append(dictionary)
      default: break
      }
    }
  }
}

/// The columns of features that share them; made once per table.
public final class ArcadeFields: Sendable {
  /// The names as they were given, one for each column.
  public let names: [String]
  private let positions: [String: Int]

  /// Columns of these names; of two that are the same the first is meant.
  public init(_ names: [String]) {
    self.names = names
    // What stands first wins, and a name as it is written over one in another case.
    let exact = names.enumerated().map { ($0.element, $0.offset) }
    positions = Dictionary(
      exact + exact.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
  }

  /// The position of a field, that of the very name before others in any case; nil when there is
  /// none.
  public func position(of name: String) -> Int? { positions[name] ?? positions[name.lowercased()] }
}

/// A row with a shape, as `$feature` is one.
public final class ArcadeFeature {
  /// The columns, shared by all features of a table.
  public let fields: ArcadeFields
  /// One per field.
  public var attributes: [ArcadeValue]
  /// The shape in its own reference; nil for a row without one.
  public var geometry: Geometry?

  /// A row with one attribute for each of the fields.
  ///
  /// - Precondition: there are as many attributes as fields.
  public init(fields: ArcadeFields, attributes: [ArcadeValue], geometry: Geometry? = nil) {
    self.fields = fields
    self.attributes = attributes
    self.geometry = geometry
  }
}

extension ArcadeValue {
  /// The value of an attribute. JSON text stays text.
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
