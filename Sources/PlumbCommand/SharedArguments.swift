import ArgumentParser
import Plumb
import PlumbVerbs

/// The columns of a file that contain the points.
struct ColumnArguments: ParsableArguments {
  @Option(
    name: .customLong("x"),
    help: "The column of eastings or longitudes: its name, or its number from 1.")
  var x: String?

  @Option(name: .customLong("y"), help: "The column of northings or latitudes.")
  var y: String?
}

/// The output file.
struct TargetArguments: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to write; - is standard output. Default: -.")
  var file: String?

  @Flag(help: "Replace an existing output.")
  var overwrite = false

  /// The path of the output file; nil for standard output.
  var output: String? { file == "-" ? nil : file }
}

/// The table of a database to write.
struct TableArguments: ParsableArguments {
  @Option(help: bufferHelp(.table)) var table: String?

  @Flag(help: bufferHelp(.append)) var append = false
}

/// The values of `-b`, which takes all arguments up to the next option. The arguments are band
/// numbers or other arguments of the command.
struct BandText {
  /// The band numbers.
  private(set) var numbers: [Int] = []
  /// The arguments that are not band numbers. `3` and `1,2` are band numbers.
  private(set) var others: [String] = []

  init(_ arguments: [String]) {
    for argument in arguments {
      let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
      let found = parts.compactMap { Int($0) }
      if found.count == parts.count { numbers += found } else { others.append(argument) }
    }
  }
}

/// Parses points of the form `x,y` in arguments.
enum PointText {
  /// - Returns: nil for text that is not two numbers.
  static func parse(_ text: String) -> SIMD2<Double>? {
    guard let numbers = NumberList.parse(text), numbers.count == 2 else { return nil }
    return SIMD2(numbers[0], numbers[1])
  }

  /// - Throws: if a value of an option is not a point. The error names the first such value.
  static func check(_ texts: [String], of option: String, form: String) throws {
    for text in texts where parse(text) == nil {
      throw ValidationError("\(option) \(text.printable): expected two numbers, \(form)")
    }
  }
}

extension ParsableArguments {
  /// Checks a request. An error is a usage error.
  func checkUsage(_ check: () throws -> Void) throws {
    do {
      try check()
    } catch let error as any PlumbFailure {
      throw error.usage
    }
  }
}

extension PlumbFailure {
  /// The error as a usage error.
  var usage: ValidationError { ValidationError(PlumbError.line(of: self).line) }
}
