/// A message with placeholders for options, such as `"set it with \(.crs)"`. Each front end
/// replaces a placeholder with its own spelling of the option.
public struct MessageTemplate: Sendable, Hashable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  private enum Part: Sendable, Hashable {
    case text(String)
    /// An option, with a placeholder for its value, such as `FILE`, if any.
    case setting(Setting, value: String)
  }

  /// The parts of the message. Text parts are not empty, and no two text parts are adjacent.
  private var parts: [Part] = []

  /// Text without options, unchanged.
  public init(_ text: String) { append(.text(text)) }

  /// Text without options.
  public init(stringLiteral text: String) { self.init(text) }

  /// Text with interpolated options, messages or values.
  public init(stringInterpolation: StringInterpolation) {
    self = stringInterpolation.messageTemplate
  }

  private mutating func append(_ part: Part) {
    if case .text(let text) = part {
      if text.isEmpty { return }
      if case .text(let before)? = parts.last {
        parts[parts.count - 1] = .text(before + text)
        return
      }
    }
    parts.append(part)
  }

  /// The options in the message, in order.
  public var settings: [Setting] {
    parts.compactMap { if case .setting(let setting, _) = $0 { setting } else { nil } }
  }

  /// The text, with each option spelled as in `names`, or in plain words if `names` does not contain it.
  public func text(_ names: [Setting: String] = [:]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .setting(let setting, let value):
        names[setting].map { value.isEmpty ? $0 : $0 + " " + value } ?? setting.plainName
      }
    }.joined()
  }

  /// The text with options in plain words.
  public var description: String { text() }

  /// The same message with `body` applied to its text parts.
  package func map(_ body: (String) -> String) -> MessageTemplate {
    var result = MessageTemplate("")
    for part in parts {
      if case .text(let text) = part {
        result.append(.text(body(text)))
      } else {
        result.append(part)
      }
    }
    return result
  }

  /// Concatenates two messages.
  public static func + (first: MessageTemplate, second: MessageTemplate) -> MessageTemplate {
    var result = first
    for part in second.parts { result.append(part) }
    return result
  }

  /// The interpolation of a literal with `\(…)`.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var messageTemplate = MessageTemplate("")

    /// An empty message.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds text.
    public mutating func appendLiteral(_ text: String) { messageTemplate.append(.text(text)) }

    /// - Parameters:
    ///   - setting: the option.
    ///   - value: the placeholder for the option's value after its name, such as `FILE`.
    public mutating func appendInterpolation(_ setting: Setting, _ value: String = "") {
      messageTemplate.append(.setting(setting, value: value))
    }

    /// Adds another message, including its options.
    public mutating func appendInterpolation(_ other: MessageTemplate) {
      messageTemplate = messageTemplate + other
    }

    /// Adds the value's description.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      messageTemplate.append(.text(value.description))
    }
  }
}

extension [MessageTemplate] {
  package static func += (wordings: inout [MessageTemplate], texts: [String]) {
    wordings.append(contentsOf: texts.lazy.map { MessageTemplate($0) })
  }
}
