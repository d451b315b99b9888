import PlumbCore

/// The formats that an operation writes. One format is selected: the requested format or, if none
/// is requested, the format of the output's file extension.
public struct OutputFormats<Format: Sendable>: Sendable {
  /// One of the formats.
  public struct Entry: Sendable {
    /// The name of the format in options.
    public let name: String
    /// The file extensions without a dot, in lower case, with the usual extension first.
    public let endings: [String]
    /// The format itself.
    public let format: Format

    /// Creates an entry for a format and its file extensions, with the usual extension first.
    public init(_ name: String, _ endings: String..., format: Format) {
      self.init(name, endings: endings, format: format)
    }

    package init(_ name: String, endings: [String], format: Format) {
      (self.name, self.endings, self.format) = (name, endings, format)
    }
  }

  /// The formats. If several formats have the same extension, the extension selects the first of
  /// them.
  public var entries: [Entry] { known + more.value }

  private let known: [Entry]
  private let more: LazyValue<[Entry]>

  /// Creates the list of an operation's formats, in the order in which error messages list them.
  public init(_ entries: [Entry]) { self.init(entries, more: []) }

  /// - Parameters:
  ///   - entries: the first formats.
  ///   - more: further formats. They are computed only if no extension of the first formats
  ///     matches.
  package init(_ entries: [Entry], more: @escaping @autoclosure @Sendable () -> [Entry]) {
    known = entries
    self.more = LazyValue { more() }
  }

  /// - Parameters:
  ///   - format: the requested format, which takes precedence.
  ///   - output: the output path; nil for standard output.
  /// - Returns: nil if the operation's default format applies, because no format is requested and
  ///   the output is standard output or has no extension.
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

  /// All file extensions, without a dot.
  public var endings: [String] {
    var seen = Set<String>()
    return entries.flatMap(\.endings).filter { seen.insert($0).inserted }
  }

  /// The characters after the last dot of a file's name, in lower case; nil if the name has no
  /// extension.
  private static func ending(of path: String) -> String? {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    return ending.isEmpty ? nil : ending
  }
}
