import PlumbLayers

extension DocumentNode {
  /// The popup in an object's `popupInfo`; nil if there is no `popupInfo`, or if `disablePopup` is true.
  ///
  /// Texts are kept unchanged, including HTML, except that `<br>` becomes a line break. The texts, field
  /// lists and media in `popupElements` replace `description`, `fieldInfos` and `mediaInfos`.
  package func popup() throws(DocumentFault) -> PopupDefinition? {
    let isDisabled = try flag("disablePopup") ?? false
    guard let info = try member("popupInfo")?.object() else { return nil }
    var popup = PopupDefinition(
      title: Self.broken(try info.text("title") ?? ""),
      text: Self.broken(try info.text("description") ?? ""),
      fields: try info.fieldInfos())
    popup.media = info.media(&popup.mistakes)
    var media: [PopupDefinition.Medium]?
    var texts: [String] = []
    var fields: [PopupDefinition.FieldInfo]?
    for element in try info.elements("popupElements") ?? [] {
      switch try element.text("type") {
      case "text":
        if let text = try element.text("text") { texts.append(Self.broken(text)) }
      case "fields":
        // An element without its own list shows the list of the popup.
        let elementFields = try element.fieldInfos()
        fields = (fields ?? []) + (elementFields.isEmpty ? popup.fields : elementFields)
      case "media":
        let mediaInfos = element.media(&popup.mistakes)
        media = (media ?? []) + (mediaInfos.isEmpty ? popup.media : mediaInfos)
      case "attachments": popup.showsAttachments = true
      default: break
      }
    }
    if let shows = try info.flag("showAttachments") {
      popup.showsAttachments = popup.showsAttachments || shows
    }
    if let media { popup.media = media }
    if !texts.isEmpty { popup.text = texts.joined(separator: "\n") }
    if let fields {
      // Field infos that are not shown are kept, because they format fields that templates contain.
      let shown = Set(fields.map(\.name))
      let others = popup.fields.filter { !shown.contains($0.name) }.map { field in
        var field = field
        field.isVisible = false
        return field
      }
      popup.fields = fields + others
    }
    for expression in try info.elements("expressionInfos") ?? [] {
      let name = try expression.required("name", "a string").text()
      popup.expressions.append(
        PopupDefinition.Expression(
          name: name, title: try expression.text("title") ?? name,
          expression: try expression.text("expression") ?? "",
          returnType: try expression.text("returnType").flatMap {
            PopupDefinition.Expression.ReturnType(rawValue: $0)
          }))
    }
    return isDisabled ? nil : popup
  }

  /// Reads the pictures and charts. A medium that cannot be read is added to `mistakes` and does
  /// not throw an error, because media do not affect features.
  private func media(_ mistakes: inout [String]) -> [PopupDefinition.Medium] {
    var media: [PopupDefinition.Medium] = []
    var fault: DocumentFault?
    var count = 0
    do throws(DocumentFault) {
      for info in try elements("mediaInfos") ?? [] {
        do throws(DocumentFault) {
          media.append(try info.medium())
        } catch {
          fault = fault ?? error
          count += 1
        }
      }
    } catch {
      fault = error
    }
    if let fault, mistakes.count < Self.mistakeLimit {
      let others = count > 1 ? ", the first of \(count) that cannot be read" : ""
      mistakes.append("popup: \(fault.message)\(others)")
    }
    return media
  }

  /// The maximum number of mistakes that are kept for a popup. The number of mistakes in a document is
  /// unlimited.
  private static var mistakeLimit: Int { 20 }

  private func medium() throws(DocumentFault) -> PopupDefinition.Medium {
    var medium = PopupDefinition.Medium(
      type: try text("type") ?? "image", title: Self.broken(try text("title") ?? ""),
      caption: Self.broken(try text("caption") ?? ""))
    guard let value = try member("value")?.object() else { return medium }
    medium.address = try value.text("sourceURL") ?? ""
    medium.link = try value.text("linkURL") ?? ""
    for field in try value.elements("fields") ?? [] { medium.fields.append(try field.text()) }
    medium.normalizeField = try value.text("normalizeField").flatMap { $0.isEmpty ? nil : $0 }
    return medium
  }

  private func fieldInfos() throws(DocumentFault) -> [PopupDefinition.FieldInfo] {
    var fields: [PopupDefinition.FieldInfo] = []
    for info in try elements("fieldInfos") ?? [] {
      var format: PopupDefinition.NumberFormat?
      if let written = try info.member("format") {
        let hasSeparator = try written.flag("digitSeparator") ?? false
        // A date format has no number of decimal places.
        if let places = try written.member("places") {
          let count = try places.integer()
          guard (0...1000).contains(count) else {
            throw places.fault("expected a number of digits from 0 to 1000, found \(count)")
          }
          format = PopupDefinition.NumberFormat(
            places: Int(count), hasDigitSeparator: hasSeparator)
        }
      }
      fields.append(
        PopupDefinition.FieldInfo(
          name: try info.required("fieldName", "a string").text(), label: try info.text("label"),
          isVisible: try info.flag("visible") ?? true, format: format))
    }
    return fields
  }

  /// The text with a line break for each `<br>`.
  private static func broken(_ text: String) -> String {
    guard text.contains("<") else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "<") {
      result += rest[..<start]
      rest = rest[start...]
      guard let end = rest.firstIndex(of: ">") else { break }
      let tag = rest[rest.index(after: start)..<end].lowercased().filter { $0 != " " }
      result += tag == "br" || tag == "br/" ? "\n" : String(rest[...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}
