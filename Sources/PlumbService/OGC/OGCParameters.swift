import Plumb
import PlumbCore
import PlumbIO

/// The parameters of a request below `/ogc`: one that is not known, comes twice or says nothing is an
/// error, as OGC's standards have it.
struct OGCParameters: Sendable {
  private let parameters: Parameters

  /// - Parameters:
  ///   - known: the names that may come.
  ///   - free: those that may be empty.
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
            + (known + free).joined(separator: ", ") + " are known")
      }
      guard !parameters.repeated.contains(name) else {
        throw ServiceError("'\(name)' comes more than once")
      }
      guard parameters.word(name) != nil || mayBeEmpty.contains(name) else {
        throw ServiceError("'\(name)' is empty: leave it out, or say what it is")
      }
    }
  }

  /// A parameter without space round it; nil for none.
  subscript(name: String) -> String? { parameters.word(name) }

  /// A parameter as it came, perhaps empty; nil for none.
  func text(_ name: String) -> String? {
    parameters.has(name) ? parameters[name] ?? "" : nil
  }

  /// A whole number from a least one; one that is larger than any is the largest.
  func count(_ name: String, least: Int) throws(ServiceError) -> Int? {
    guard let text = self[name] else { return nil }
    let digits = text.utf8.drop { $0 == UInt8(ascii: "+") }
    guard !digits.isEmpty, digits.count + 1 >= text.utf8.count,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw ServiceError("'\(name)': \(text.shown) is not a whole number from \(least)")
    }
    let count = Int(String(Substring(digits))) ?? .max
    guard count >= least else {
      throw ServiceError("'\(name)': \(text.shown) is less than \(least)")
    }
    return count
  }

  /// A finite number.
  func number(_ name: String) throws(ServiceError) -> Double? {
    guard let text = self[name] else { return nil }
    guard let number = Double(plain: text) else {
      throw ServiceError("'\(name)': \(text.shown) is not a number")
    }
    return number
  }

  /// Finite numbers with commas between them.
  func numbers(_ name: String, counts: [Int]) throws(ServiceError) -> [Double]? {
    guard let text = self[name] else { return nil }
    guard let numbers = Parameters.numbers(text), counts.contains(numbers.count) else {
      let words = counts.map { String($0) }.joined(separator: " or ")
      throw ServiceError(
        "'\(name)': \(text.shown) is not \(words) numbers with commas between them")
    }
    return numbers
  }

  /// A time or a span of times; nil for none.
  func period(_ name: String) throws(ServiceError) -> OGCPeriod? {
    guard let text = self[name] else { return nil }
    guard let period = OGCPeriod(text) else {
      throw ServiceError(
        "'\(name)': \(text.shown) is no time; write 2026-05-01T10:00:00Z, or two of them with / "
          + "between, of which one may be ..")
    }
    return period
  }
}
