import PlumbCore

extension PopupDefinition {
  /// An image or a chart of a popup, represented as text.
  public struct Medium: Sendable, Hashable {
    /// The type in the document: `image`, `barchart`, `columnchart`, `linechart`, `piechart`.
    public var type: String
    /// The template of the title.
    public var title: String
    /// The template of the caption.
    public var caption: String
    /// The template of an image's URL; empty for a chart.
    public var address: String
    /// The template of an image's link; empty for none.
    public var link: String
    /// The fields of a chart: names of fields, or `expression/NAME`.
    public var fields: [String]
    /// The field by which a chart divides its values; nil for none.
    public var normalizeField: String?

    /// Creates a medium, empty by default.
    public init(
      type: String, title: String = "", caption: String = "", address: String = "",
      link: String = "", fields: [String] = [], normalizeField: String? = nil
    ) {
      (self.type, self.title, self.caption) = (type, title, caption)
      (self.address, self.link) = (address, link)
      (self.fields, self.normalizeField) = (fields, normalizeField)
    }

    /// All templates of the medium.
    var templates: [String] { [title, caption, address, link] }
  }
}

extension Popup {
  /// An image or a chart as text.
  public struct Medium: Sendable, Hashable {
    /// The type in the document: `image`, `barchart`, `columnchart`, `linechart`, `piechart`.
    public var type: String
    /// The title, with values inserted.
    public var title: String
    /// The caption, with values inserted.
    public var caption: String
    /// The URL of an image; empty for a chart.
    public var address: String
    /// The link of an image; empty for none.
    public var link: String
    /// The values of a chart, in the chart's order.
    public var fields: [Field]

    /// Creates a medium of one element.
    public init(
      type: String, title: String, caption: String, address: String, link: String,
      fields: [Field]
    ) {
      (self.type, self.title, self.caption) = (type, title, caption)
      (self.address, self.link, self.fields) = (address, link, fields)
    }
  }
}
