/// Text for people with settings in it, which each who shows it calls by its own names:
/// `"say it with \(.crs)"`.
public struct Wording: Sendable, Hashable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  private enum Part: Sendable, Hashable {
    case text(String)
    /// With what is to be written for its value, such as `FILE`, where it is named.
    case setting(Setting, value: String)
  }

  /// No two texts in a row, and no empty one.
  private var parts: [Part] = []

  /// Text without settings, taken as it is.
  public init(_ text: String) { append(.text(text)) }

  /// Text without settings.
  public init(stringLiteral text: String) { self.init(text) }

  /// Text with settings or other wordings in it.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.wording }

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

  /// The settings in it, in order.
  public var settings: [Setting] {
    parts.compactMap { if case .setting(let setting, _) = $0 { setting } else { nil } }
  }

  /// The text with settings called by some names; those without are in plain words.
  public func text(_ names: [Setting: String] = [:]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .setting(let setting, let value):
        names[setting].map { value.isEmpty ? $0 : $0 + " " + value } ?? setting.plainName
      }
    }.joined()
  }

  /// The text in plain words.
  public var description: String { text() }

  /// The same with its texts rewritten.
  package func map(_ body: (String) -> String) -> Wording {
    var result = Wording("")
    for part in parts {
      if case .text(let text) = part {
        result.append(.text(body(text)))
      } else {
        result.append(part)
      }
    }
    return result
  }

  /// One after the other.
  public static func + (first: Wording, second: Wording) -> Wording {
    var result = first
    for part in second.parts { result.append(part) }
    return result
  }

  /// What a literal with `\(…)` is made into.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var wording = Wording("")

    /// Starts an empty wording.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds text.
    public mutating func appendLiteral(_ text: String) { wording.append(.text(text)) }

    /// - Parameters:
    ///   - setting: to be called by its user's name.
    ///   - value: what is written behind that name for the setting's value, as `FILE`.
    public mutating func appendInterpolation(_ setting: Setting, _ value: String = "") {
      wording.append(.setting(setting, value: value))
    }

    /// Adds another wording, its settings too.
    public mutating func appendInterpolation(_ other: Wording) { wording = wording + other }

    /// Adds what the value prints as.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      wording.append(.text(value.description))
    }
  }
}

extension [Wording] {
  package static func += (wordings: inout [Wording], texts: [String]) {
    wordings.append(contentsOf: texts.lazy.map { Wording($0) })
  }
}
