/// Decimal numbers, separated by commas.
package enum NumberList {
  /// - Returns: nil if the text is empty or contains anything but finite decimal numbers.
  package static func parse(_ text: String) -> [Double]? {
    var numbers: [Double] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let digits = part.drop { $0 == " " }
      let trimmed = digits.prefix(digits.count - digits.reversed().prefix { $0 == " " }.count)
      guard trimmed.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(trimmed),
        number.isFinite
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}
