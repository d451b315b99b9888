extension ArcadeDate {
  /// `2026-05-01T10:00:00Z`, with milliseconds where there are some; years past four digits have a
  /// sign and six.
  var iso: String {
    let (days, rest) = milliseconds.quotientAndRemainderRoundedDown(by: 86_400_000)
    let (year, month, day) = Self.civil(days)
    let seconds = rest / 1000
    let fraction = rest % 1000
    let yearText =
      (0...9999) ~= year ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
    let time =
      padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
    return "\(yearText)-\(padded(month, 2))-\(padded(day, 2))T\(time)"
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }

  /// The Gregorian date of a day counted from 1970-01-01.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Years are counted from March in eras of 400 years, so that leap days come last.
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainderRoundedDown(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func quotientAndRemainderRoundedDown(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
