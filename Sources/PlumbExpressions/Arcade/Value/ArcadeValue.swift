import PlumbCore

/// What an Arcade expression works with and gives.
///
/// Arrays and dictionaries are references, as in Arcade: two names may hold the same one. A value
/// belongs to the thread that evaluates.
public enum ArcadeValue {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case date(ArcadeDate)
  case array(ArcadeArray)
  case dictionary(ArcadeDictionary)
  case feature(ArcadeFeature)
  // Boxed, so that all other values stay small.
  indirect case geometry(Geometry)
  /// One that the program declares, or a built-in one that is handed on by its name.
  indirect case function(ArcadeCallable)
}

/// A moment, to the millisecond; calendar parts are those of UTC.
public struct ArcadeDate: Sendable, Hashable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

/// A list that grows; indices from 0.
public final class ArcadeArray {
  public var elements: [ArcadeValue]

  public init(_ elements: [ArcadeValue] = []) { self.elements = elements }

  deinit { ArcadeTeardown.release(&elements) }
}

/// Values by key, in the order in which keys came. Keys are told apart without case, as names are.
public final class ArcadeDictionary {
  public private(set) var keys: [String] = []
  public private(set) var values: [ArcadeValue] = []
  /// Positions by lower-case key.
  private var positions: [String: Int] = [:]

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
  public let names: [String]
  private let positions: [String: Int]

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
  public let fields: ArcadeFields
  /// One per field.
  public var attributes: [ArcadeValue]
  public var geometry: Geometry?

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
