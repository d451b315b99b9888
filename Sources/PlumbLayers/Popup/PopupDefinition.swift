import PlumbCore

/// What a layer's popups say. Templates hold field names in braces: `{NAME}`.
public struct PopupDefinition: Sendable, Hashable {
  /// A field as a popup shows it.
  public struct FieldInfo: Sendable, Hashable {
    /// A field's, or `expression/NAME`.
    public var name: String
    public var label: String
    public var isVisible: Bool
    public var format: NumberFormat?

    public init(
      name: String, label: String? = nil, isVisible: Bool = true, format: NumberFormat? = nil
    ) {
      self.name = name
      self.label = label ?? name
      self.isVisible = isVisible
      self.format = format
    }
  }

  /// A value that is computed by an expression and that templates call `{expression/NAME}`.
  public struct Expression: Sendable, Hashable {
    public var name: String
    public var title: String
    /// Arcade, which sees the element as `$feature`. Evaluated only where the popup names it; its
    /// value is empty where it fails.
    public var expression: String
    /// Nil for what the value is.
    public var returnType: ReturnType?

    /// What a value counts as: numbers are written in the field's format.
    public enum ReturnType: String, Sendable, Hashable {
      case number, string
    }

    public init(
      name: String, title: String, expression: String, returnType: ReturnType? = nil
    ) {
      self.name = name
      self.title = title
      self.expression = expression
      self.returnType = returnType
    }
  }

  public var title: String
  public var text: String
  /// In the order in which they are shown. Formats go for templates too.
  public var fields: [FieldInfo]
  public var expressions: [Expression]

  public init(
    title: String = "", text: String = "", fields: [FieldInfo] = [], expressions: [Expression] = []
  ) {
    self.title = title
    self.text = text
    self.fields = fields
    self.expressions = expressions
  }

  /// How numbers are written.
  public struct NumberFormat: Sendable, Hashable {
    /// Digits after the decimal point.
    public var places: Int
    /// Whether a comma separates thousands.
    public var hasDigitSeparator: Bool

    public init(places: Int, hasDigitSeparator: Bool = false) {
      self.places = places
      self.hasDigitSeparator = hasDigitSeparator
    }
  }
}

/// What a layer says of one element.
public struct Popup: Sendable, Hashable {
  public struct Field: Sendable, Hashable {
    public var name: String
    public var label: String
    /// As people read it; empty for null.
    public var text: String

    public init(name: String, label: String, text: String) {
      self.name = name
      self.label = label
      self.text = text
    }
  }

  public var title: String
  public var text: String
  public var fields: [Field]

  public init(title: String, text: String, fields: [Field]) {
    self.title = title
    self.text = text
    self.fields = fields
  }
}
