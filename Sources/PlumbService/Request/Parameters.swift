import PlumbCore
import PlumbIO

/// The parameters of a request, by their names in lower case: of the query, of a form, or the members
/// of a JSON object. Of several of one name the last counts, and a body's count more.
struct Parameters: Sendable {
  private(set) var values: [String: String] = [:]
  /// The names that an address or a form has more than once.
  private(set) var repeated: Set<String> = []
  /// More are an error.
  private static let limit = 1000

  /// - Throws: where the body is not what its type says.
  init(_ request: ServiceRequest) throws(ServiceError) {
    try add(form: Array(request.query.utf8)[...])
    guard request.method == .post, !request.body.isEmpty else { return }
    let type = request.contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    let start = request.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if type == "application/json" || type.hasSuffix("+json")
      || (type != Self.formType && start == UInt8(ascii: "{"))
    {
      try add(json: request.body)
    } else if type == Self.formType || type.isEmpty {
      try add(form: request.body[...])
    } else {
      throw ServiceError(
        "the body's type \(type.printable) is not read: send a form or JSON", status: 415)
    }
  }

  /// Parameters by their names, for tests and for what is asked within.
  init(_ values: [String: String]) {
    for (name, value) in values { self.values[name.lowercased()] = value }
  }

  private static let formType = "application/x-www-form-urlencoded"

  private mutating func add(form: ArraySlice<UInt8>) throws(ServiceError) {
    for pair in form.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair.dropFirst(name.count + 1)
      guard let name = PercentText.decode(name, plusIsSpace: true),
        let value = PercentText.decode(value, plusIsSpace: true)
      else { throw ServiceError("a parameter is no UTF-8") }
      if values.updateValue(value, forKey: name.lowercased()) != nil {
        repeated.insert(name.lowercased())
      }
      if values.count > Self.limit { throw ServiceError("more than \(Self.limit) parameters") }
    }
  }

  private mutating func add(json: [UInt8]) throws(ServiceError) {
    guard case .object(let members) = try JSONTree.of(json, "the body") else {
      throw ServiceError("the body is no JSON object")
    }
    for (name, value) in members {
      switch value {
      case .null: continue
      case .text(let text): values[name.lowercased()] = text
      default:
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        values[name.lowercased()] = String(decoding: bytes, as: UTF8.self)
      }
    }
    if values.count > Self.limit { throw ServiceError("more than \(Self.limit) parameters") }
  }

  /// A parameter; nil for none, and for an empty one.
  subscript(name: String) -> String? {
    values[name.lowercased()].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// All, by their names in lower case.
  var all: [(name: String, value: String)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a parameter is there, though perhaps empty.
  func has(_ name: String) -> Bool { values[name.lowercased()] != nil }

  /// A parameter without space round it.
  func word(_ name: String) -> String? {
    self[name].map { $0.trimmingASCIISpace() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: By kind

  private func fault(_ name: String, _ text: String, _ expected: String) -> ServiceError {
    ServiceError("'\(name)' parameter is invalid: \(text.shown) is not \(expected)")
  }

  /// True or false, in any case, or 1 or 0.
  func flag(_ name: String, default usual: Bool = false) throws(ServiceError) -> Bool {
    guard let text = word(name) else { return usual }
    switch text.lowercased() {
    case "true", "1", "yes", "t": return true
    case "false", "0", "no", "f": return false
    default: throw fault(name, text, "true or false")
    }
  }

  /// A finite number.
  func number(_ name: String) throws(ServiceError) -> Double? {
    guard let text = word(name) else { return nil }
    guard let number = Double(plain: text) else { throw fault(name, text, "a number") }
    return number
  }

  /// A whole number of a range.
  func integer(_ name: String, _ range: ClosedRange<Int>) throws(ServiceError) -> Int? {
    guard let text = word(name) else { return nil }
    guard let number = Double(plain: text), let integer = Int(exactly: number),
      range.contains(integer)
    else {
      throw fault(
        name, text,
        "a whole number from \(range.lowerBound)"
          + (range.upperBound == .max ? "" : " to \(range.upperBound)"))
    }
    return integer
  }

  /// Finite numbers with commas between them.
  func numbers(_ name: String, count: Int? = nil) throws(ServiceError) -> [Double]? {
    guard let text = word(name) else { return nil }
    guard let numbers = Self.numbers(text), count == nil || count == numbers.count else {
      throw fault(
        name, text, count.map { "\($0) numbers with commas between them" } ?? "a list of numbers")
    }
    return numbers
  }

  /// The numbers of a text with commas between them; nil where one is none.
  static func numbers(_ text: String) -> [Double]? {
    var text = text
    return text.withUTF8 { bytes in
      var numbers: [Double] = []
      var start = 0
      while true {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count
        guard let number = Double(plain: bytes[start..<end]), numbers.count < 1_000_000 else {
          return nil
        }
        numbers.append(number)
        if end == bytes.count { return numbers }
        start = end + 1
      }
    }
  }

  /// Whole numbers, with commas between them or as a JSON list.
  func integers(_ name: String) throws(ServiceError) -> [Int64]? {
    guard let text = word(name) else { return nil }
    let inner =
      text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
    var integers: [Int64] = []
    for part in inner.utf8.split(separator: UInt8(ascii: ",")) {
      let word = String(Substring(part)).trimmingASCIISpace()
      guard let integer = Int64(word) else {
        throw fault(name, text, "a list of whole numbers")
      }
      integers.append(integer)
    }
    return integers
  }

  /// Words with commas between them.
  func words(_ name: String) -> [String]? {
    guard let text = word(name) else { return nil }
    return text.split(separator: ",").map { String($0).trimmingASCIISpace() }.filter { !$0.isEmpty }
  }

  /// A parameter as JSON, whose keys may be without quotes.
  func json(_ name: String) throws(ServiceError) -> JSONTree? {
    guard let text = word(name) else { return nil }
    return try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter")
  }
}
