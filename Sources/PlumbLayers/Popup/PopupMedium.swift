import PlumbCore

extension PopupDefinition {
  /// A picture or a chart of a popup, which is given as text here.
  public struct Medium: Sendable, Hashable {
    /// The document's word: `image`, `barchart`, `columnchart`, `linechart`, `piechart`.
    public var type: String
    /// The template of its title.
    public var title: String
    /// The template of what stands below it.
    public var caption: String
    /// The template of a picture's address; empty for a chart.
    public var address: String
    /// The template of where a picture leads to; empty for nowhere.
    public var link: String
    /// What a chart shows: names of fields, or `expression/NAME`.
    public var fields: [String]
    /// The field by which a chart divides its values; nil for none.
    public var normalizeField: String?

    /// A medium that says nothing, unless parts are given.
    public init(
      type: String, title: String = "", caption: String = "", address: String = "",
      link: String = "", fields: [String] = [], normalizeField: String? = nil
    ) {
      (self.type, self.title, self.caption) = (type, title, caption)
      (self.address, self.link) = (address, link)
      (self.fields, self.normalizeField) = (fields, normalizeField)
    }

    /// All its templates.
    var templates: [String] { [title, caption, address, link] }
  }
}

extension Popup {
  /// A picture or a chart as text.
  public struct Medium: Sendable, Hashable {
    /// The document's word: `image`, `barchart`, `columnchart`, `linechart`, `piechart`.
    public var type: String
    /// Its title, with values in it.
    public var title: String
    /// What stands below it, with values in it.
    public var caption: String
    /// Where a picture is; empty for a chart.
    public var address: String
    /// Where a picture leads to; empty for nowhere.
    public var link: String
    /// A chart's values, in its order.
    public var fields: [Field]

    /// A medium of one element.
    public init(
      type: String, title: String, caption: String, address: String, link: String,
      fields: [Field]
    ) {
      (self.type, self.title, self.caption) = (type, title, caption)
      (self.address, self.link, self.fields) = (address, link, fields)
    }
  }
}
