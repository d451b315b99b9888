import PlumbIO

/// A pattern for dates, such as `dddd, MMMM D, Y @ hh:mm A`, with English names and parts in UTC.
///
/// | token | part |
/// |---|---|
/// | `D`, `DD` | day of the month, plain and with two digits |
/// | `DDD`, `DDDD` | day of the year, plain and with three digits |
/// | `d`, `E` | day of the week, 1 for Monday to 7 for Sunday |
/// | `dd`, `ddd`, `dddd` | Mo, Mon, Monday |
/// | `M`, `MM`, `MMM`, `MMMM` | 1, 01, Jan, January |
/// | `Y`, `YYYY`, `YY` | year, with four digits, with its last two digits |
/// | `Q` | quarter |
/// | `W`, `WW`, `GGGG` | week of ISO 8601, with two digits, and the year of the week |
/// | `w`, `ww` | week of the year, from Sunday; the first week contains January 1 |
/// | `H`, `HH`, `h`, `hh` | hours from 0 to 23 and from 1 to 12 |
/// | `m`, `mm`, `s`, `ss` | minutes, seconds |
/// | `S`, `SS`, `SSS` | tenths, hundredths, thousandths of the second |
/// | `A`, `a` | AM or PM, am or pm |
/// | `Z`, `ZZ`, `ZZZ`, `ZZZZ` | +0, +00:00, +0000, UTC |
/// | `X`, `x` | seconds, milliseconds since 1970 |
/// | `[text]` | the text |
///
/// The longest token matches. Other characters are copied.
struct ArcadeDatePattern {
  private let pattern: [UInt8]

  init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

  func text(of date: ArcadeDate) -> String {
    let moment = ArcadeMoment(date)
    var text: [UInt8] = []
    var next = 0
    while next < pattern.count {
      let letter = pattern[next]
      if letter == UInt8(ascii: "["),
        let end = pattern[next...].firstIndex(of: UInt8(ascii: "]"))
      {
        text.append(contentsOf: pattern[next + 1..<end])
        next = end + 1
        continue
      }
      var run = next + 1
      while run < pattern.count, pattern[run] == letter { run += 1 }
      let lengths = Self.lengths(of: letter)
      guard let length = lengths.last(where: { $0 <= run - next }) else {
        text.append(letter)
        next += 1
        continue
      }
      append(letter, length, date, moment, to: &text)
      next += length
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The lengths of the tokens that consist of a letter, ascending.
  private static func lengths(of letter: UInt8) -> [Int] {
    switch Unicode.Scalar(letter) {
    case "D", "d", "M", "Z": [1, 2, 3, 4]
    case "Y": [1, 2, 4]
    case "G": [4]
    case "W", "w", "H", "h", "m", "s": [1, 2]
    case "S": [1, 2, 3]
    case "E", "Q", "A", "a", "X", "x": [1]
    default: []
    }
  }

  private func append(
    _ letter: UInt8, _ length: Int, _ date: ArcadeDate, _ moment: ArcadeMoment,
    to text: inout [UInt8]
  ) {
    let day = moment.date
    func number(_ value: Int64, _ digits: Int = 1) {
      let plain = String(value)
      text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, digits - plain.count)))
      text.append(contentsOf: plain.utf8)
    }
    func name(_ name: String, _ length: Int = .max) {
      text.append(contentsOf: name.utf8.prefix(length))
    }
    let weekday = Self.weekdays[Int(day.weekday - 1)]
    let month = Self.months[Int(day.month - 1)]
    switch (Unicode.Scalar(letter), length) {
    case ("D", 1), ("D", 2): number(day.day, length)
    case ("D", _): number(day.dayOfYear, length == 3 ? 1 : 3)
    case ("d", 1), ("E", _): number(day.weekday)
    case ("d", 4): name(weekday)
    case ("d", _): name(weekday, length)
    case ("M", 1), ("M", 2): number(day.month, length)
    case ("M", 3): name(month, 3)
    case ("M", _): name(month)
    case ("Y", 2): number(day.year % 100, 2)
    case ("Y", _): number(day.year, length)
    case ("Q", _): number((day.month + 2) / 3)
    case ("W", _): number(day.week.number, length)
    case ("w", _):
      let first = CivilDate(year: day.year, month: 1, day: 1).weekday % 7
      number((day.dayOfYear - 1 + first) / 7 + 1, length)
    case ("G", _): number(day.week.year, 4)
    case ("H", _): number(moment.hour, length)
    case ("h", _): number((moment.hour + 11) % 12 + 1, length)
    case ("m", _): number(moment.minute, length)
    case ("s", _): number(moment.second, length)
    case ("S", 1): number(moment.millisecond / 100)
    case ("S", 2): number(moment.millisecond / 10, 2)
    case ("S", _): number(moment.millisecond, 3)
    case ("A", _): name(moment.hour < 12 ? "AM" : "PM")
    case ("a", _): name(moment.hour < 12 ? "am" : "pm")
    case ("Z", _): name(["+0", "+00:00", "+0000", "UTC"][length - 1])
    case ("X", _): number(date.milliseconds.floorDivided(by: 1000))
    default: number(date.milliseconds)
    }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
}
