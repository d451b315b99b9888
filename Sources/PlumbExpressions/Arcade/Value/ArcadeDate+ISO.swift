extension ArcadeDate {
  /// `2026-05-01T10:00:00Z`, with milliseconds where there are some; years past four digits have a
  /// sign and six.
  package var iso: String {
    let moment = ArcadeMoment(self)
    let (year, rest) = (moment.date.year, moment.milliseconds)
    let (month, day) = (moment.date.month, moment.date.day)
    let seconds = rest / 1000
    let fraction = rest % 1000
    let yearText =
      (0...9999) ~= year ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
    let time =
      padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
    return "\(yearText)-\(padded(month, 2))-\(padded(day, 2))T\(time)"
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
