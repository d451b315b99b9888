import PlumbCore

/// The formats that an operation writes, and the rule that selects one of them: the requested format, or else
/// the format of the output's file extension.
public struct OutputFormats<Format: Sendable>: Sendable {
  /// One of the formats.
  public struct Entry: Sendable {
    /// The name in options.
    public let name: String
    /// The file extensions without the dot, in lower case, the usual one first.
    public let endings: [String]
    /// The format itself.
    public let format: Format

    /// A format and its file extensions, the usual one first.
    public init(_ name: String, _ endings: String..., format: Format) {
      self.init(name, endings: endings, format: format)
    }

    package init(_ name: String, endings: [String], format: Format) {
      (self.name, self.endings, self.format) = (name, endings, format)
    }
  }

  /// The formats; if several formats share an extension, it selects the first of them.
  public var entries: [Entry] { known + more.value }

  private let known: [Entry]
  private let more: LazyValue<[Entry]>

  /// The formats of an operation, in the order in which error messages list them.
  public init(_ entries: [Entry]) { self.init(entries, more: []) }

  /// - Parameters:
  ///   - entries: the first formats.
  ///   - more: further formats; computed only if no extension of the first formats matches.
  package init(_ entries: [Entry], more: @escaping @autoclosure @Sendable () -> [Entry]) {
    known = entries
    self.more = LazyValue { more() }
  }

  /// - Parameters:
  ///   - format: the requested format; takes precedence.
  ///   - output: the output path; nil for standard output.
  /// - Returns: nil if the operation's default applies: no format is requested, and the output is standard
  ///   output or has no extension.
  /// - Throws: if the output has an unknown extension.
  public func choose(_ format: Format? = nil, output: String?) throws(PlumbError) -> Format? {
    if let format { return format }
    guard let output, let ending = Self.ending(of: output) else { return nil }
    let isMeant = { (entry: Entry) in entry.endings.contains(ending) }
    if let entry = known.first(where: isMeant) ?? more.value.first(where: isMeant) {
      return entry.format
    }
    let known = endings.map { "." + $0 }.joined(separator: ", ")
    throw PlumbError(
      "\(output.printable): unknown file extension .\(ending.printable): use \(known), or name "
        + "the format", code: .badOption)
  }

  /// All file extensions, without their dots.
  public var endings: [String] {
    var seen = Set<String>()
    return entries.flatMap(\.endings).filter { seen.insert($0).inserted }
  }

  /// The text after the last dot of a file's name, in lower case; nil if the name has no extension.
  private static func ending(of path: String) -> String? {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    return ending.isEmpty ? nil : ending
  }
}
