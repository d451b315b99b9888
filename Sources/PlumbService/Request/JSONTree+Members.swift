import PlumbCore
import PlumbIO

extension JSONTree {
  /// Parses the members of a JSON object, whose names must be different.
  ///
  /// - Parameter sources: the members whose objects are kept as text.
  static func members(
    of bytes: [UInt8], _ name: String, sources: Set<String> = []
  ) throws(ServiceError) -> [String: JSONTree] {
    guard
      case .object(let members) = try of(bytes, name, allowsRepeats: false, sources: sources)
    else {
      throw ServiceError("\(name) is not a JSON object")
    }
    return members
  }

  /// Parses JSON. Arrays of two numbers are stored as pairs.
  ///
  /// - Parameters:
  ///   - what: the description of the text in error messages.
  ///   - allowsRepeats: whether members of the outermost object may have the same name.
  ///   - sources: the members of the outermost object whose objects are kept as text.
  static func of(
    _ bytes: [UInt8], _ what: String, allowsRepeats: Bool = true, sources: Set<String> = []
  ) throws(ServiceError) -> JSONTree {
    let read = bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in
        try JSONTree(
          bytes, memory: ServiceLimits.tree, packsPairs: true, allowsRepeats: allowsRepeats,
          sources: sources)
      }
    }
    switch read {
    case .success(let tree): return tree
    case .failure(let error):
      throw ServiceError(
        "\(what) is invalid: \(error.summary)", status: error.code == .limit ? 413 : 400,
        kind: error.code)
    }
  }

  /// Returns a member of an object, ignoring case.
  func member(_ name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    if let exact = members[name] { return exact.present }
    let folded = name.lowercased()
    return members.first { $0.key.lowercased() == folded }?.value.present
  }

  /// The value; nil for null.
  private var present: JSONTree? { if case .null = self { nil } else { self } }

  /// The number, which may be given as a string.
  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number) where number.isFinite: number
    case .text(let text): Double(plain: text.trimmingASCIISpace())
    default: nil
    }
  }

  /// The string, or a number as a string.
  var text: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .real(let number): String(number)
    default: nil
    }
  }

  /// The boolean, which may be given as a string.
  var flag: Bool? {
    switch self {
    case .boolean(let flag): flag
    case .text(let text): ["true": true, "false": false][text.lowercased()]
    case .integer(1): true
    case .integer(0): false
    default: nil
    }
  }

  var list: [JSONTree]? { elements }
}

extension Double {
  /// Parses a finite decimal number, without hexadecimal digits or infinity.
  init?(plain text: String) {
    var text = text
    let number = text.withUTF8 { Double(plain: $0[...]) }
    guard let number else { return nil }
    self = number
  }

  /// Parses a finite decimal number, ignoring surrounding whitespace.
  init?(plain bytes: Slice<UnsafeBufferPointer<UInt8>>) {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
    guard let first = bytes.first, bytes.count < 400 else { return nil }
    // Unlike in JSON, a leading plus sign or decimal point is accepted.
    let isNumber = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isNumber, first != UInt8(ascii: "e"), first != UInt8(ascii: "E"),
      let number = Double(String(decoding: bytes, as: UTF8.self)), number.isFinite
    else { return nil }
    self = number
  }
}
