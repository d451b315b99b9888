import Foundation

/// PROJ's expected values of simple projections, from a file for its `gie` program.
struct ProjExpectation {
  var operation: String
  var isInverse: Bool
  /// Metres.
  var tolerance: Double
  var input: (x: Double, y: Double)
  /// nil if the projection is expected to fail.
  var output: (x: Double, y: Double)?

  /// Reads the text of a `gie` file; omits numbers in other notations.
  static func parse(_ text: String) -> [ProjExpectation] {
    var list: [ProjExpectation] = []
    var operation = ""
    var (isInverse, tolerance) = (false, 0.0005)
    var input: (x: Double, y: Double)?
    var isInOperation = false
    for line in text.split(separator: "\n") {
      let code = line.prefix { $0 != "#" }
      let words = code.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let first = words.first else { continue }
      // An operation continues in indented lines.
      if isInOperation, code.first?.isWhitespace == true, first.hasPrefix("+") {
        operation += " " + words.joined(separator: " ")
        continue
      }
      isInOperation = false
      switch first {
      case "operation":
        operation = words.dropFirst().joined(separator: " ")
        (isInverse, tolerance, input, isInOperation) = (false, 0.0005, nil, true)
      case "direction": isInverse = words.last == "inverse"
      case "tolerance": tolerance = metres(words.dropFirst().joined()) ?? .nan
      case "accept": input = pair(words)
      case "expect":
        guard let input, tolerance.isFinite else { continue }
        let output = pair(words)
        guard output != nil || words.dropFirst().first == "failure" else { continue }
        list.append(
          ProjExpectation(
            operation: operation, isInverse: isInverse, tolerance: tolerance, input: input,
            output: output))
      default: continue
      }
    }
    return list
  }

  private static func pair(_ words: [String]) -> (x: Double, y: Double)? {
    guard words.count >= 3, let x = Double(words[1]), let y = Double(words[2]), x.isFinite,
      y.isFinite
    else { return nil }
    return (x, y)
  }

  private static func metres(_ text: String) -> Double? {
    for (unit, factor) in [("nm", 1e-9), ("mm", 1e-3), ("cm", 1e-2), ("km", 1e3), ("m", 1.0)]
    where text.hasSuffix(unit) { return Double(text.dropLast(unit.count)).map { $0 * factor } }
    return Double(text)
  }

  /// The operation as two CRSs: longitude and latitude on its ellipsoid, and the projected one. nil if
  /// it is not a simple projection.
  var references: (geographic: String, projected: String)? {
    let parameters = operation.split(separator: " ").map(String.init)
    let names = parameters.map { $0.drop { $0 == "+" }.prefix { $0 != "=" } }
    let beyond: Set<Substring> = [
      "axis", "units", "to_meter", "vunits", "vto_meter", "towgs84", "nadgrids", "geoidgrids",
      "pm", "lon_wrap", "over", "geoc", "init", "inv", "step", "omit_fwd", "omit_inv", "R_A",
      "R_V", "R_a", "R_g", "R_h", "R_lat_a", "R_lat_g", "R_C", "o_proj", "spherify",
    ]
    let solid: Set = ["+proj=geocent", "+proj=cart", "+proj=topocentric"]
    guard parameters.first?.hasPrefix("+proj=") == true, beyond.isDisjoint(with: names),
      solid.isDisjoint(with: parameters),
      names.count(where: { $0 == "proj" }) == 1
    else { return nil }
    let figures: Set<Substring> = ["ellps", "datum", "a", "b", "rf", "f", "e", "es", "R"]
    var figure = zip(names, parameters).filter { figures.contains($0.0) }.map(\.1)
    var projected = parameters
    if figure.isEmpty {
      // The default ellipsoid of an operation; the default of a CRS is WGS84.
      figure = ["+ellps=GRS80"]
      projected += figure
    }
    return (
      (["+proj=longlat"] + figure + ["+no_defs"]).joined(separator: " "),
      projected.joined(separator: " ")
    )
  }

  /// The approximate Earth radius of the operation.
  var radius: Double {
    for word in operation.split(separator: " ") {
      for name in ["+R=", "+a="] where word.hasPrefix(name) {
        if let radius = Double(word.dropFirst(3)) { return radius }
      }
    }
    return 6_378_137
  }
}
