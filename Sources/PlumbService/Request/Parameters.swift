import PlumbCore
import PlumbIO

/// The parameters of a request by lower-case name. They are read from the query, from a form, or
/// from the members of a JSON object. Parameters in the body override parameters in the query.
struct Parameters: Sendable {
  private(set) var values: [String: String] = [:]
  /// The names that are repeated in the query or in the form.
  private(set) var repeated: Set<String> = []
  /// The names of repeated parameters whose values differ.
  private var conflicting: Set<String> = []
  /// The maximum number of parameters.
  private static let limit = 1000

  /// - Throws: if the body does not match its content type.
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
        "the body's type \(type.printable) is not supported: send a form or JSON", status: 415)
    }
  }

  /// Creates parameters from values, for tests and internal requests.
  init(_ values: [String: String]) {
    for (name, value) in values { self.values[name.lowercased()] = value }
  }

  private static let formType = "application/x-www-form-urlencoded"

  private mutating func add(form: ArraySlice<UInt8>) throws(ServiceError) {
    var seen: Set<String> = []
    for pair in form.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair.dropFirst(name.count + 1)
      guard let name = PercentText.decode(name, plusIsSpace: true),
        let value = PercentText.decode(value, plusIsSpace: true)
      else { throw ServiceError("a parameter is not UTF-8") }
      if values[name.lowercased()] != nil { repeated.insert(name.lowercased()) }
      set(name, value, &seen)
      if values.count > Self.limit { throw ServiceError("more than \(Self.limit) parameters") }
    }
  }

  /// - Parameter seen: the names of the parameters in the same part of the request.
  private mutating func set(_ name: String, _ value: String, _ seen: inout Set<String>) {
    let name = name.lowercased()
    let former = values.updateValue(value, forKey: name)
    guard !seen.insert(name).inserted, let former, !former.hasSameBytes(as: value) else { return }
    conflicting.insert(name)
  }

  /// - Throws: if a parameter is repeated with different values in the query or in the body.
  func checkRepeated() throws(ServiceError) {
    guard let name = conflicting.min() else { return }
    throw ServiceError("'\(name.shown)' parameter is repeated with different values")
  }

  private mutating func add(json: [UInt8]) throws(ServiceError) {
    var seen: Set<String> = []
    for (name, value) in try JSONTree.members(of: json, "the body") {
      switch value {
      case .null: continue
      case .text(let text): set(name, text, &seen)
      default:
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        set(name, String(decoding: bytes, as: UTF8.self), &seen)
      }
    }
    if values.count > Self.limit { throw ServiceError("more than \(Self.limit) parameters") }
  }

  /// Returns a parameter; nil if it is missing or empty.
  subscript(name: String) -> String? {
    values[name.lowercased()].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// All parameters, by lower-case name.
  var all: [(name: String, value: String)] {
    values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether a parameter is present, even if empty.
  func has(_ name: String) -> Bool { values[name.lowercased()] != nil }

  /// Returns a trimmed parameter.
  func word(_ name: String) -> String? {
    self[name].map { $0.trimmingASCIISpace() }.flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: By kind

  private func fault(_ name: String, _ text: String, _ expected: String) -> ServiceError {
    ServiceError("'\(name)' parameter is invalid: \(text.shown) is not \(expected)")
  }

  /// Reads a boolean parameter.
  func flag(_ name: String, default usual: Bool = false) throws(ServiceError) -> Bool {
    guard let text = word(name) else { return usual }
    switch text.lowercased() {
    case "true", "1", "yes", "t": return true
    case "false", "0", "no", "f": return false
    default: throw fault(name, text, "true or false")
    }
  }

  /// Reads a finite number.
  func number(_ name: String) throws(ServiceError) -> Double? {
    guard let text = word(name) else { return nil }
    guard let number = Double(plain: text) else { throw fault(name, text, "a number") }
    return number
  }

  /// Reads an integer in a range.
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

  /// Reads comma-separated finite numbers.
  func numbers(_ name: String, count: Int? = nil) throws(ServiceError) -> [Double]? {
    guard let text = word(name) else { return nil }
    guard let numbers = Self.numbers(text), count == nil || count == numbers.count else {
      throw fault(
        name, text, count.map { "\($0) numbers separated by commas" } ?? "a list of numbers")
    }
    return numbers
  }

  /// Parses comma-separated numbers; nil if a number is invalid.
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

  /// Reads integers, comma-separated or as a JSON list.
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

  /// Reads comma-separated words.
  func words(_ name: String) -> [String]? {
    guard let text = word(name) else { return nil }
    return text.split(separator: ",").map { String($0).trimmingASCIISpace() }.filter { !$0.isEmpty }
  }

  /// Reads a parameter as JSON. The keys of the JSON may be unquoted.
  func json(_ name: String) throws(ServiceError) -> JSONTree? {
    guard let text = word(name) else { return nil }
    return try JSONTree.of(LenientJSON.quoted(text), "'\(name)' parameter")
  }
}
