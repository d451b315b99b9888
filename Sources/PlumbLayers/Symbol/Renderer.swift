import PlumbCore

/// The assignment of symbols to features of a layer.
public enum Renderer: Sendable, Hashable {
  /// One symbol for all features.
  case simple(Symbol)
  /// A symbol for each combination of some fields' values.
  case uniqueValue(UniqueValues)
  /// A symbol for each range of a field's value.
  case classBreaks(ClassBreaks)

  /// A symbol for each combination of some fields' values.
  public struct UniqueValues: Sendable, Hashable {
    /// Combinations of values that share a symbol.
    public struct Class: Sendable, Hashable {
      /// Combinations with one string per field, in the fields' order.
      public var values: [[String]]
      /// The symbol of features with one of the combinations.
      public var symbol: Symbol
      /// The label in a legend.
      public var label: String

      /// - Parameters:
      ///   - values: the combinations of the fields' values, as strings.
      ///   - symbol: the symbol of features with one of the combinations.
      ///   - label: the label in a legend; by default the first combination.
      public init(values: [[String]], symbol: Symbol, label: String? = nil) {
        self.values = values
        self.symbol = symbol
        self.label = label ?? values.first?.joined(separator: ", ") ?? ""
      }
    }

    /// The names of the fields that determine the symbol, matched exactly or, if there is no exact
    /// match, case-insensitively.
    public var fields: [String]
    /// The classes in legend order; if several classes contain the same combination, the first is
    /// used.
    public var classes: [Class]
    /// The symbol of features with other values; nil for none.
    public var defaultSymbol: Symbol?
    /// The label in a legend for features with other values.
    public var defaultLabel: String

    /// Creates classes by the values of the fields.
    public init(
      fields: [String], classes: [Class], defaultSymbol: Symbol? = nil, defaultLabel: String = ""
    ) {
      self.fields = fields
      self.classes = classes
      self.defaultSymbol = defaultSymbol
      self.defaultLabel = defaultLabel
    }

    /// The symbol of each combination.
    var symbols: [[String]: Symbol] {
      var symbols: [[String]: Symbol] = [:]
      for entry in classes {
        for values in entry.values where symbols[values] == nil {
          symbols[values] = entry.symbol
        }
      }
      return symbols
    }
  }

  /// A symbol for each range of one field's value.
  public struct ClassBreaks: Sendable, Hashable {
    /// A range of values, from the maximum of the previous class (exclusive) to the maximum of this
    /// class (inclusive).
    public struct Class: Sendable, Hashable {
      /// The maximum of the class, inclusive; greater values belong to the next class.
      public var maximum: Double
      /// The symbol of features in the range.
      public var symbol: Symbol
      /// The label in a legend.
      public var label: String

      /// Creates a class up to a maximum, which is the default label.
      public init(maximum: Double, symbol: Symbol, label: String? = nil) {
        self.maximum = maximum
        self.symbol = symbol
        self.label = label ?? "to \(FieldValue.real(maximum).plainText)"
      }
    }

    /// The name of the field that determines the symbol, matched exactly or, if there is no exact
    /// match, case-insensitively.
    public var field: String
    /// The minimum; lower values have the default symbol.
    public var minimum: Double
    /// The classes by ascending maximum.
    public var classes: [Class]
    /// The symbol of features whose value is not a number, or is outside all classes; nil for none.
    public var defaultSymbol: Symbol?
    /// The label in a legend for features with the default symbol.
    public var defaultLabel: String

    /// Creates classes by ascending maximum; the first starts at the minimum.
    public init(
      field: String, minimum: Double, classes: [Class], defaultSymbol: Symbol? = nil,
      defaultLabel: String = ""
    ) {
      self.field = field
      self.minimum = minimum
      self.classes = classes.sorted { $0.maximum < $1.maximum }
      self.defaultSymbol = defaultSymbol
      self.defaultLabel = defaultLabel
    }
  }

  /// The symbols with their labels, in legend order; the label is empty if there is a single
  /// symbol.
  public var legend: [(label: String, symbol: Symbol)] {
    func others(_ symbol: Symbol?, _ label: String) -> [(label: String, symbol: Symbol)] {
      symbol.map { [(label.isEmpty ? "Others" : label, $0)] } ?? []
    }
    switch self {
    case .simple(let symbol): return [("", symbol)]
    case .uniqueValue(let values):
      return values.classes.map { ($0.label, $0.symbol) }
        + others(values.defaultSymbol, values.defaultLabel)
    case .classBreaks(let breaks):
      return breaks.classes.map { ($0.label, $0.symbol) }
        + others(breaks.defaultSymbol, breaks.defaultLabel)
    }
  }

  /// Returns a function that maps a feature's attributes to the feature's symbol, or to nil for a
  /// feature without a symbol.
  ///
  /// - Throws: `bad_layer` if the table lacks a field of the renderer.
  func symbols(of fields: [Field]) throws(LayerError) -> ([FieldValue]) -> Symbol? {
    switch self {
    case .simple(let symbol): return { _ in symbol }
    case .uniqueValue(let values):
      var indices: [Int] = []
      for name in values.fields { indices.append(try index(of: name, in: fields)) }
      let symbols = values.symbols
      return { attributes in
        let key = indices.map { attributes[$0].plainText }
        return symbols[key] ?? values.defaultSymbol
      }
    case .classBreaks(let breaks):
      let index = try index(of: breaks.field, in: fields)
      return { attributes in
        guard let value = attributes[index].number, value >= breaks.minimum,
          let match = breaks.classes.first(where: { value <= $0.maximum })
        else { return breaks.defaultSymbol }
        return match.symbol
      }
    }
  }

  private func index(of name: String, in fields: [Field]) throws(LayerError) -> Int {
    guard let index = fieldIndex(of: name, in: fields) else {
      throw LayerError(
        code: .badLayer, message: "the renderer's field \(name.printable) is not in the table")
    }
    return index
  }
}

/// The index of the field with a name, ignoring case if there is no exact match.
func fieldIndex(of name: String, in fields: [Field]) -> Int? {
  fields.firstIndex { $0.name == name }
    ?? fields.firstIndex { $0.name.lowercased() == name.lowercased() }
}

extension FieldValue {
  /// The value as readable text; empty for null.
  package var plainText: String {
    switch self {
    case .null: ""
    case .text(let text), .json(let text): text
    case .integer(let integer): integer.description
    case .real(let real):
      Int64(exactly: real).map(\.description) ?? real.description
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }

  /// The value as a number; nil if the value is not a number.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real.isNaN ? nil : real
    case .text(let text), .json(let text): Double(text)
    case .null, .boolean: nil
    }
  }
}
