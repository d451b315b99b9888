import Plumb
import PlumbCore
import PlumbIO

/// The parameters of a request below `/ogc`. Unknown, repeated and empty parameters are errors, as
/// OGC standards require.
struct OGCParameters: Sendable {
  private let parameters: Parameters

  /// - Parameters:
  ///   - known: the accepted names.
  ///   - free: the names of parameters that may be empty.
  init(
    _ request: ServiceRequest, known: [String], free: [String] = []
  ) throws(ServiceError) {
    parameters = try Parameters(request)
    let names = Set(known.map { $0.lowercased() } + ["token"])
    let mayBeEmpty = Set(free.map { $0.lowercased() })
    for (name, _) in parameters.all {
      guard names.contains(name) || mayBeEmpty.contains(name) else {
        throw ServiceError(
          "there is no parameter '\(name.shown)' here: "
            + (known + free).joined(separator: ", ") + " are supported")
      }
      guard !parameters.repeated.contains(name) else {
        throw ServiceError("'\(name)' is repeated")
      }
      guard parameters.word(name) != nil || mayBeEmpty.contains(name) else {
        throw ServiceError("'\(name)' is empty: omit it, or give it a value")
      }
    }
  }

  /// Returns a trimmed parameter; nil if it is missing.
  subscript(name: String) -> String? { parameters.word(name) }

  /// Returns a parameter unchanged, even if it is empty; nil if it is missing.
  func text(_ name: String) -> String? {
    parameters.has(name) ? parameters[name] ?? "" : nil
  }

  /// Returns an integer parameter that is not below a minimum. Values above the maximum integer are
  /// clamped.
  func count(_ name: String, minimum: Int) throws(ServiceError) -> Int? {
    guard let text = self[name] else { return nil }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "+") }
    guard !digits.isEmpty, digits.count + 1 >= text.utf8.count,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw ServiceError("'\(name)': \(text.shown) is not a whole number from \(minimum)")
    }
    let count = Int(String(Substring(digits))) ?? .max
    guard count >= minimum else {
      throw ServiceError("'\(name)': \(text.shown) is less than \(minimum)")
    }
    return count
  }

  /// Returns a finite number.
  func number(_ name: String) throws(ServiceError) -> Double? {
    guard let text = self[name] else { return nil }
    guard let number = Double(plain: text) else {
      throw ServiceError("'\(name)': \(text.shown) is not a number")
    }
    return number
  }

  /// Returns comma-separated finite numbers.
  func numbers(_ name: String, counts: [Int]) throws(ServiceError) -> [Double]? {
    guard let text = self[name] else { return nil }
    guard let numbers = Parameters.numbers(text), counts.contains(numbers.count) else {
      let words = counts.map { String($0) }.joined(separator: " or ")
      throw ServiceError(
        "'\(name)': \(text.shown) is not \(words) numbers separated by commas")
    }
    return numbers
  }

  /// Returns a time or a time span; nil if it is missing.
  func period(_ name: String) throws(ServiceError) -> OGCPeriod? {
    guard let text = self[name] else { return nil }
    guard let period = OGCPeriod(text) else {
      throw ServiceError(
        "'\(name)': \(text.shown) is not a time; write 2026-05-01T10:00:00Z, or two times "
          + "separated by /, one of which may be ..")
    }
    return period
  }
}
