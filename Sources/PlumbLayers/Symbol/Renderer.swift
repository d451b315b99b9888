import PlumbCore

/// Which symbol each feature of a layer has.
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
      /// Each a text for each field, in the fields' order.
      public var values: [[String]]
      /// The symbol of features that have one of the combinations.
      public var symbol: Symbol
      /// What a legend calls them.
      public var label: String

      /// - Parameters:
      ///   - values: combinations of the fields' values as texts.
      ///   - symbol: of features that have one of them.
      ///   - label: by default the first combination.
      public init(values: [[String]], symbol: Symbol, label: String? = nil) {
        self.values = values
        self.symbol = symbol
        self.label = label ?? values.first?.joined(separator: ", ") ?? ""
      }
    }

    /// The fields whose values decide, by name: exactly, else whatever the case.
    public var fields: [String]
    /// In a legend's order; of those that have the same values the first counts.
    public var classes: [Class]
    /// For features of other values; nil for no symbol.
    public var defaultSymbol: Symbol?
    /// What a legend calls features of other values.
    public var defaultLabel: String

    /// Classes by the values of the fields.
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
    /// A range of values, from the class before to its maximum.
    public struct Class: Sendable, Hashable {
      /// A value above it belongs to the next class; itself to this one.
      public var maximum: Double
      /// The symbol of features in the range.
      public var symbol: Symbol
      /// What a legend calls them.
      public var label: String

      /// A class up to a maximum, which is also its label unless another is given.
      public init(maximum: Double, symbol: Symbol, label: String? = nil) {
        self.maximum = maximum
        self.symbol = symbol
        self.label = label ?? "to \(FieldValue.real(maximum).plainText)"
      }
    }

    /// The field whose value decides, by name: exactly, else whatever the case.
    public var field: String
    /// Values below it have the default symbol.
    public var minimum: Double
    /// By ascending maximum.
    public var classes: [Class]
    /// For features without a number, below the minimum or above all classes; nil for no symbol.
    public var defaultSymbol: Symbol?
    /// What a legend calls them.
    public var defaultLabel: String

    /// Classes by ascending maximum, the first of them from the minimum.
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

  /// The symbols with what a legend calls them, in its order; without a label for one symbol of all.
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

  /// The symbol of features of a table; nil for those that the renderer has none for.
  ///
  /// - Throws: `bad_layer` when the table lacks a field of the renderer's.
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

/// The field of a name, ignoring case when none has it exactly.
func fieldIndex(of name: String, in fields: [Field]) -> Int? {
  fields.firstIndex { $0.name == name }
    ?? fields.firstIndex { $0.name.lowercased() == name.lowercased() }
}

extension FieldValue {
  /// The value as a person reads it; empty for null.
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

  /// The value as a number; nil for what is none.
  var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real.isNaN ? nil : real
    case .text(let text), .json(let text): Double(text)
    case .null, .boolean: nil
    }
  }
}
