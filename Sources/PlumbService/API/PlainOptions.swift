import Plumb
import PlumbIO
import PlumbVerbs

/// The members of a request's object, each taken once; what is left was not known.
struct PlainOptions {
  private var members: [String: JSONTree]

  init(_ body: [UInt8]) throws(ServiceError) {
    guard case .object(let members) = try JSONTree.of(body, "the body") else {
      throw ServiceError("the body is no JSON object")
    }
    self.init(members)
  }

  init(_ members: [String: JSONTree]) {
    self.members = members.filter { if case .null = $0.value { false } else { true } }
  }

  /// Sets the options of a verb.
  func read<Request>(
    _ table: OptionTable<Request>, into request: inout Request
  ) throws(OptionViolation) {
    try table.read(members, into: &request, by: .service)
  }

  /// - Throws: names a member that nobody has taken.
  func finish() throws(ServiceError) {
    if let name = members.keys.min() {
      throw ServiceError("unknown option \(name.shown)", kind: .badOption)
    }
  }

  private func fault(_ name: String, _ expected: String) -> ServiceError {
    ServiceError("\(name): \(expected) is expected", kind: .badOption)
  }

  /// Whether a member is there that has not been taken.
  func has(_ name: String) -> Bool { members[name] != nil }

  mutating func take(_ name: String) -> JSONTree? { members.removeValue(forKey: name) }

  mutating func text(_ name: String) throws(ServiceError) -> String? {
    guard let value = take(name) else { return nil }
    guard let text = value.text else { throw fault(name, "a text") }
    return text
  }

  mutating func texts(_ name: String) throws(ServiceError) -> [String] {
    guard let value = take(name) else { return [] }
    if let text = value.text { return [text] }
    guard let list = value.list else { throw fault(name, "a list of texts") }
    var texts: [String] = []
    for item in list {
      guard let text = item.text else { throw fault(name, "a list of texts") }
      texts.append(text)
    }
    return texts
  }

  mutating func flag(_ name: String) throws(ServiceError) -> Bool {
    guard let value = take(name) else { return false }
    guard let flag = value.flag else { throw fault(name, "true or false") }
    return flag
  }

  mutating func number(_ name: String) throws(ServiceError) -> Double? {
    guard let value = take(name) else { return nil }
    guard let number = value.number else { throw fault(name, "a number") }
    return number
  }

  mutating func word<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ type: Word.Type
  ) throws(ServiceError) -> Word? {
    guard let text = try text(name) else { return nil }
    let plain = { (text: String) in text.filter { $0 != "-" && $0 != "_" }.lowercased() }
    guard let word = Word.allCases.first(where: { plain($0.rawValue) == plain(text) }) else {
      throw fault(name, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  /// Points as `[[x,y],…]`, `["x,y",…]`, or one of either.
  mutating func points(_ name: String) throws(ServiceError) -> [SIMD2<Double>]? {
    guard let value = take(name) else { return nil }
    let fault = fault(name, "a list of points [x,y]")
    func point(_ tree: JSONTree) -> SIMD2<Double>? {
      if case .text(let text) = tree {
        return Parameters.numbers(text).flatMap { $0.count == 2 ? SIMD2($0[0], $0[1]) : nil }
      }
      guard let list = tree.list, list.count == 2, let x = list[0].number, let y = list[1].number
      else { return nil }
      return SIMD2(x, y)
    }
    if let one = point(value) { return [one] }
    guard let list = value.list else { throw fault }
    var points: [SIMD2<Double>] = []
    points.reserveCapacity(list.count)
    for item in list {
      guard let point = point(item) else { throw fault }
      points.append(point)
    }
    return points
  }

  /// - Throws: when `format` is another than the only one.
  mutating func checkFormat(_ only: String) throws(ServiceError) {
    if let format = try text("format"), format.lowercased() != only {
      throw ServiceError("format: \(only) alone is given here", kind: .badOption)
    }
  }

  mutating func reference(_ name: String) throws(ServiceError) -> SpatialReference? {
    guard let text = try text(name) else { return nil }
    do {
      return try SpatialReference(text)
    } catch {
      throw ServiceError("\(name): \(error.message)", kind: .badOption)
    }
  }

  /// How a map is asked: `tolerance`, `scale`, `max-results`, `popups-only`.
  mutating func identifyOptions() throws(ServiceError) -> IdentifyOptions {
    var options = IdentifyOptions()
    if let value = take("tolerance") {
      guard let tolerance = value.text.flatMap({ IdentifyOptions.Tolerance(text: $0) }) else {
        throw fault("tolerance", "a length as 12px, 50m or 2.5km, or 0")
      }
      options.tolerance = tolerance
    }
    options.scale = try number("scale")
    options.returnPopupsOnly = try flag("popups-only")
    if let value = take("max-results") {
      if value.text?.lowercased() == "all" {
        options.maximumResultsPerLayer = nil
      } else if let number = value.number.flatMap({ Int(exactly: $0) }), number >= 1 {
        options.maximumResultsPerLayer = number
      } else {
        throw fault("max-results", "a whole number from 1, or all,")
      }
    }
    do throws(LayerError) { try options.check() } catch { throw ServiceError(error) }
    return options
  }
}
