import PlumbCore

/// What a layer's popups say. Templates hold field names in braces: `{NAME}`.
public struct PopupDefinition: Sendable, Hashable {
  /// A field as a popup shows it.
  public struct FieldInfo: Sendable, Hashable {
    /// A field's, or `expression/NAME`.
    public var name: String
    /// What the popup shows before the value; the name where no label is given.
    public var label: String
    /// Whether the popup's list has the field; templates may name it in either case.
    public var isVisible: Bool
    /// How numbers of the field are written; nil for in full.
    public var format: NumberFormat?

    /// A field under its own name, unless said otherwise.
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
    /// What templates and `FieldInfo.name` call it after `expression/`.
    public var name: String
    /// What people read before the value.
    public var title: String
    /// Arcade, which sees the element as `$feature`. Evaluated only where the popup names it; its
    /// value is empty where it fails.
    public var expression: String
    /// Nil for what the value is.
    public var returnType: ReturnType?

    /// What a value counts as: numbers are written in the field's format.
    public enum ReturnType: String, Sendable, Hashable {
      /// A number; a text.
      case number, string
    }

    /// An expression whose value is what it evaluates to, unless said otherwise.
    public init(
      name: String, title: String, expression: String, returnType: ReturnType? = nil
    ) {
      self.name = name
      self.title = title
      self.expression = expression
      self.returnType = returnType
    }
  }

  /// The template of the popup's title.
  public var title: String
  /// The template of the popup's text.
  public var text: String
  /// In the order in which they are shown. Formats go for templates too.
  public var fields: [FieldInfo]
  /// What templates may name beside the fields.
  public var expressions: [Expression]
  /// Pictures and charts, in the order in which they are shown.
  public var media: [Medium] = []
  /// Parts of its document that cannot be read and are left out, a line each.
  public var mistakes: [String] = []
  /// Whether the popup names the files that belong to the feature.
  public var showsAttachments = false

  /// A definition that says nothing, unless parts are given.
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

    /// A format with so many decimals.
    public init(places: Int, hasDigitSeparator: Bool = false) {
      self.places = places
      self.hasDigitSeparator = hasDigitSeparator
    }
  }
}

/// What a layer says of one element.
public struct Popup: Sendable, Hashable {
  /// A field of the popup's list.
  public struct Field: Sendable, Hashable {
    /// The field's name, or `expression/NAME`.
    public var name: String
    /// What people read before the value.
    public var label: String
    /// As people read it; empty for null.
    public var text: String

    /// A field and its value as people read it.
    public init(name: String, label: String, text: String) {
      self.name = name
      self.label = label
      self.text = text
    }
  }

  /// The title, with values in it.
  public var title: String
  /// The text, with values in it; as it stands in the template otherwise, markup too.
  public var text: String
  /// The visible fields, in the definition's order.
  public var fields: [Field]
  /// Pictures and charts as text, in the definition's order.
  public var media: [Medium] = []
  /// The files that belong to the feature, where the definition wants them.
  public var attachments: [Attachment]

  /// A popup of one element.
  public init(title: String, text: String, fields: [Field], attachments: [Attachment] = []) {
    self.title = title
    self.text = text
    self.fields = fields
    self.attachments = attachments
  }
}
