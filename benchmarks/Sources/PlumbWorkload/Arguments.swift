/// A mode, rasters and `--name value` options.
struct Arguments {
  var mode = ""
  var rasters: [String] = []
  var options: [String: String] = [:]

  init(_ words: [String]) {
    var rest = words.dropFirst()
    mode = rest.popFirst() ?? ""
    while let word = rest.popFirst() {
      if word.hasPrefix("--") {
        options[String(word.dropFirst(2))] = rest.popFirst() ?? ""
      } else {
        rasters.append(word)
      }
    }
  }

  func number(_ name: String) -> Int? { options[name].flatMap { Int($0) } }

  func text(_ name: String) throws -> String {
    guard let value = options[name] else {
      throw NumPyFile.Failure(message: "--\(name) is missing")
    }
    return value
  }

  func decimal(_ name: String) throws -> Double {
    guard let value = Double(try text(name)) else {
      throw NumPyFile.Failure(message: "--\(name) is not a number")
    }
    return value
  }

  /// The numbers in the file that an option names.
  func doubles(_ name: String) throws -> [Double] {
    Array(try NumPyFile.doubles(text(name)))
  }
}
