import Foundation
import Plumb
import PlumbTestSupport
import PlumbVerbs
import Testing

/// Compares the arguments in the docstrings of the Python package with the tables: an option's
/// entry starts with the table's help, and may continue with details of the Python package. If
/// PLUMB_WRITE_PAGES=1 is set, entries that start with other text are replaced.
@Suite(.serialized) struct PythonDocumentationTests {
  private static let folder = TestPaths.root + "/Sources/PlumbPython/src/plumb_gis/"

  /// The entries of the options of a table, by argument name.
  private static func entries<Request>(_ table: OptionTable<Request>) -> [String: String] {
    var result: [String: String] = [:]
    for option in table.options(of: .library) {
      var help = table.help(of: option.option, for: .library)
        .replacing("; may be repeated.", with: ", or a list of several.")
        .replacing(" May be repeated.", with: " A list for several.")
      if case .number(let range) = option.kind, !range.unit.isEmpty, !help.contains(range.unit) {
        help += " In \(range.unit)."
      }
      if case .bytes = option.kind { help += " In bytes." }
      let words = option.words(of: .library)
      if !words.isEmpty {
        help += " One of \(words.map { "``\($0)``" }.joined(separator: ", "))."
      }
      result[option.option.rawValue.replacing("-", with: "_")] = help
      result[FrontEnd.library.spelling(of: option.option)] = help
    }
    return result
  }

  /// A function or class, the entries of its options, and the arguments that differ from the option of the
  /// same name.
  struct Function: Sendable, CustomTestStringConvertible {
    var file: String
    var name: String
    var entries: [String: String]
    var differing: Set<String> = []
    /// The minimum number of arguments that have an entry.
    var leastCount = 5

    var testDescription: String { "\(file) \(name)" }
  }

  static let functions = [
    // x and y may also be arrays of coordinates.
    Function(
      file: "_sample.py", name: "sample", entries: entries(Identify.options),
      differing: ["x", "y", "when"]),
    Function(
      file: "_series.py", name: "series", entries: entries(Identify.options),
      // The columns of points and of statuses depend on the function.
      differing: ["x", "y", "crs", "long", "status", "geometry"]),
    Function(
      file: "spark.py", name: "sample", entries: entries(Identify.options),
      // Each worker has its own cache and threads.
      differing: ["x", "y", "cache", "threads"]),
    Function(
      file: "dask.py", name: "sample", entries: entries(Identify.options),
      // Each worker has its own cache, and each partition its own threads.
      differing: ["x", "y", "cache", "threads"]),
    Function(file: "_stack.py", name: "Stack", entries: entries(Identify.options)),
    Function(
      file: "_raster.py", name: "Raster", entries: entries(Identify.options), leastCount: 3),
    Function(file: "_map.py", name: "identify", entries: entries(Identify.options)),
    Function(file: "_network.py", name: "isolate", entries: entries(Trace.options)),
    Function(file: "_network.py", name: "trace", entries: entries(Trace.options)),
    // The default is the frame's CRS.
    Function(
      file: "_buffer.py", name: "buffer", entries: entries(Buffer.options),
      differing: ["crs", "out_crs"]),
    // The statistics have more names in Python, the default CRS is that of the frame, and the docstring of
    // `sample` describes the dates.
    Function(
      file: "_zonal.py", name: "zonal", entries: entries(Zonal.options),
      differing: ["stat", "crs", "dates"]),
    // Fences may also be frames and shapes, and the option initial is the inverse of the command's
    // option.
    Function(
      file: "_monitor.py", name: "monitor", entries: entries(Monitor.options),
      differing: ["fences", "initial"]),
  ]

  /// Inserts a line break before the word that would exceed the limit.
  private static func wrapped(_ name: String, _ help: String, indent: Int) -> [String] {
    var lines = [String(repeating: " ", count: indent) + name + ":"]
    for word in help.split(separator: " ") {
      if lines[lines.count - 1].count + 1 + word.count > 100 {
        lines.append(String(repeating: " ", count: indent + 3))
      }
      lines[lines.count - 1] += " " + word
    }
    return lines
  }

  @Test(arguments: functions)
  func `docstrings have the help of the tables`(_ function: Function) throws {
    let path = Self.folder + function.file
    var lines = try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The last definition; the definitions before it are its overloads.
    let definition = try #require(
      lines.lastIndex { line in
        let text = line.drop(while: { $0 == " " })
        return ["def", "class"].contains { text.hasPrefix("\($0) \(function.name)(") }
      })
    let start = try #require(
      lines[definition...].firstIndex { $0.drop(while: { $0 == " " }) == "Args:" })
    let indent = lines[start].prefix { $0 == " " }.count + 4
    let isWriting = ProcessInfo.processInfo.environment["PLUMB_WRITE_PAGES"] != nil
    var (index, count) = (start + 1, 0)
    func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }
    while index < lines.count, depth(lines[index]) >= indent {
      var end = index + 1
      while end < lines.count, depth(lines[end]) > indent { end += 1 }
      let entry = lines[index..<end].map { $0.drop(while: { $0 == " " }) }.joined(separator: " ")
      let name = String(entry.prefix { $0 != ":" })
      if let help = function.entries[name], !function.differing.contains(name) {
        count += 1
        let text = entry.dropFirst(name.count + 2)
        if isWriting, !text.hasPrefix(help) {
          let written = Self.wrapped(name, help, indent: indent)
          lines.replaceSubrange(index..<end, with: written)
          end = index + written.count
        } else {
          #expect(text.hasPrefix(help), "\(name): run this test with PLUMB_WRITE_PAGES=1")
        }
      }
      index = end
    }
    #expect(count >= function.leastCount)
    if isWriting {
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
  }
}
