import PlumbCore

/// The formats that an operation writes, and the one rule that picks a run's format: the one that
/// was asked for by name, else the one that the ending of the output's name stands for.
public struct OutputFormats<Format: Sendable>: Sendable {
  /// One of the formats.
  public struct Entry: Sendable {
    /// The name that it is asked for by.
    public let name: String
    /// Without the dot, lower case, the usual one first.
    public let endings: [String]
    /// The format itself.
    public let format: Format

    /// A format and the endings of files' names that stand for it, the usual one first.
    public init(_ name: String, _ endings: String..., format: Format) {
      self.init(name, endings: endings, format: format)
    }

    package init(_ name: String, endings: [String], format: Format) {
      (self.name, self.endings, self.format) = (name, endings, format)
    }
  }

  /// An ending that two formats share belongs to the first of them.
  public var entries: [Entry] { known + more.value }

  private let known: [Entry]
  private let more: LazyValue<[Entry]>

  /// The formats of an operation, in the order in which errors list them.
  public init(_ entries: [Entry]) { self.init(entries, more: []) }

  /// - Parameters:
  ///   - entries: the first ones.
  ///   - more: those that follow; made when a name has none of the first ones' endings.
  package init(_ entries: [Entry], more: @escaping @autoclosure @Sendable () -> [Entry]) {
    known = entries
    self.more = LazyValue { more() }
  }

  /// - Parameters:
  ///   - format: what was asked for by name; it wins.
  ///   - output: where the result goes; nil is standard output.
  /// - Returns: nil when neither says anything, so that the operation's default holds: nothing was
  ///   asked for, and the output is standard output or has a name without an ending.
  /// - Throws: when the output's name has an ending of no format.
  public func choose(_ format: Format? = nil, output: String?) throws(PlumbError) -> Format? {
    if let format { return format }
    guard let output, let ending = Self.ending(of: output) else { return nil }
    let isMeant = { (entry: Entry) in entry.endings.contains(ending) }
    if let entry = known.first(where: isMeant) ?? more.value.first(where: isMeant) {
      return entry.format
    }
    let known = endings.map { "." + $0 }.joined(separator: ", ")
    throw PlumbError(
      "\(output.printable): no format here ends in .\(ending.printable): use \(known), or name "
        + "the format", code: .badOption)
  }

  /// All endings, without their dots.
  public var endings: [String] {
    var seen = Set<String>()
    return entries.flatMap(\.endings).filter { seen.insert($0).inserted }
  }

  /// What follows the last dot of a file's name, in lower case; nil for a name without an ending.
  private static func ending(of path: String) -> String? {
    let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    return ending.isEmpty ? nil : ending
  }
}
