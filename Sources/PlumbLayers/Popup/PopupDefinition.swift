import PlumbCore

/// The definition of a layer's popups. Templates contain field names in braces: `{NAME}`.
public struct PopupDefinition: Sendable, Hashable {
  /// A field in a popup.
  public struct FieldInfo: Sendable, Hashable {
    /// The name of a field, or `expression/NAME`.
    public var name: String
    /// The label before the value; by default the name.
    public var label: String
    /// Whether the popup's list contains the field. Templates may also use fields that are not in the list.
    public var isVisible: Bool
    /// The format of the field's numbers; nil for all digits.
    public var format: NumberFormat?

    /// Creates a field, by default visible and labelled with its name.
    public init(
      name: String, label: String? = nil, isVisible: Bool = true, format: NumberFormat? = nil
    ) {
      self.name = name
      self.label = label ?? name
      self.isVisible = isVisible
      self.format = format
    }
  }

  /// A value computed by an expression, which templates use as `{expression/NAME}`.
  public struct Expression: Sendable, Hashable {
    /// The name after `expression/` in templates and `FieldInfo.name`.
    public var name: String
    /// The label before the value.
    public var title: String
    /// The Arcade expression, with the element as `$feature`. The expression is evaluated only if
    /// the popup uses it. If the evaluation fails, the value is empty.
    public var expression: String
    /// The type of the value; nil for the type of the computed value.
    public var returnType: ReturnType?

    /// The type of a value. Numbers are written in the field's format.
    public enum ReturnType: String, Sendable, Hashable {
      /// A number or text.
      case number, string
    }

    /// Creates an expression, by default with the type of its computed value.
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
  /// The fields in display order. Their formats also apply to templates.
  public var fields: [FieldInfo]
  /// The expressions that templates may use in addition to the fields.
  public var expressions: [Expression]
  /// Images and charts, in display order.
  public var media: [Medium] = []
  /// Messages about parts of the popup's document that cannot be read and are omitted, one line each.
  public var mistakes: [String] = []
  /// Whether the popup lists the attachments of the feature.
  public var showsAttachments = false

  /// Creates a definition, empty by default.
  public init(
    title: String = "", text: String = "", fields: [FieldInfo] = [], expressions: [Expression] = []
  ) {
    self.title = title
    self.text = text
    self.fields = fields
    self.expressions = expressions
  }

  /// The format of numbers.
  public struct NumberFormat: Sendable, Hashable {
    /// The number of digits after the decimal point.
    public var places: Int
    /// Whether a comma separates thousands.
    public var hasDigitSeparator: Bool

    /// Creates a format with a number of decimals.
    public init(places: Int, hasDigitSeparator: Bool = false) {
      self.places = places
      self.hasDigitSeparator = hasDigitSeparator
    }
  }
}

/// The popup of one element.
public struct Popup: Sendable, Hashable {
  /// A field of the popup's list.
  public struct Field: Sendable, Hashable {
    /// The field's name, or `expression/NAME`.
    public var name: String
    /// The label before the value.
    public var label: String
    /// The value as readable text; empty for null.
    public var text: String

    /// Creates a field with its value as readable text.
    public init(name: String, label: String, text: String) {
      self.name = name
      self.label = label
      self.text = text
    }
  }

  /// The title, with values inserted.
  public var title: String
  /// The text, with values inserted and otherwise unchanged, including markup.
  public var text: String
  /// The visible fields, in the definition's order.
  public var fields: [Field]
  /// Images and charts as text, in the definition's order.
  public var media: [Medium] = []
  /// The attachments of the feature, if the definition shows attachments.
  public var attachments: [Attachment]

  /// Creates a popup of one element.
  public init(title: String, text: String, fields: [Field], attachments: [Attachment] = []) {
    self.title = title
    self.text = text
    self.fields = fields
    self.attachments = attachments
  }
}
