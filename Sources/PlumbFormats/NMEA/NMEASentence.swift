import PlumbIO

/// A sentence of NMEA 0183 from any talker. Only sentences with a position or time are decoded.
///
/// The decoded sentences are RMC (recommended minimum), GGA (fix data), ZDA (date and time) and AIS
/// fragments. Latitudes are in the form `ddmm.mmmm` and longitudes in the form `dddmm.mmmm`, each
/// with a letter for the hemisphere.
package enum NMEASentence: Sendable, Hashable {
  /// The date and time, point, speed and course.
  case rmc(RMC)
  /// The time of day, point and quality of a fix.
  case gga(GGA)
  /// The date and time.
  case zda(timeOfDay: Int64, date: Date)
  /// A fragment of an AIS message (VDM, VDO).
  case ais(AISFragment)
  /// A sentence of another type, standard or proprietary.
  case other

  /// A day of the Gregorian calendar.
  package struct Date: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
      self.year = year
      self.month = month
      self.day = day
    }
  }

  package struct RMC: Sendable, Hashable {
    /// Milliseconds since midnight UTC.
    package var timeOfDay: Int64
    package var date: Date
    /// The point in degrees; nil if the receiver has no fix.
    package var point: SIMD2<Double>?
    /// Speed in metres per second; NaN if empty.
    package var speed: Double
    /// Course in degrees from north; NaN if empty.
    package var course: Double
  }

  package struct GGA: Sendable, Hashable {
    /// Milliseconds since midnight UTC.
    package var timeOfDay: Int64
    /// The point in degrees; nil if the receiver has no fix.
    package var point: SIMD2<Double>?
    /// The quality of the fix: 1 for GPS, 2 differential, 4 RTK, 5 float RTK, 6 dead reckoning.
    package var quality: Int
    package var satellites: Int?
    /// Horizontal dilution of precision, without unit; NaN if empty.
    package var horizontalDilution: Double
    /// Altitude in metres above mean sea level; NaN if empty.
    package var altitude: Double
  }

  /// One knot in metres per second.
  static let knot = 1852.0 / 3600

  /// Parses a line without its line end.
  ///
  /// A tag block (`\…\`) before the sentence is skipped.
  /// - Parameter needsChecksum: whether a sentence without a checksum is an error. If other
  ///   sentences have a checksum, a sentence without a checksum may be truncated.
  /// - Returns: the sentence, and whether it has a checksum.
  /// - Throws: if the text is not a sentence, the checksum is wrong, or fields cannot be parsed.
  package static func parse(
    _ line: UnsafeBufferPointer<UInt8>, needsChecksum: Bool = false
  ) throws(FormatError) -> (sentence: NMEASentence, hasChecksum: Bool) {
    var text = line[...]
    while let last = text.last, last == 0x20 || last == 0x0D || last == 0x09 { text.removeLast() }
    while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    if text.first == UInt8(ascii: "\\") {
      text.removeFirst()
      guard let end = text.firstIndex(of: UInt8(ascii: "\\")) else {
        throw FormatError("a tag block does not end")
      }
      text = text[(end + 1)...]
    }
    guard let start = text.first, start == UInt8(ascii: "$") || start == UInt8(ascii: "!") else {
      throw FormatError("no NMEA sentence")
    }
    text.removeFirst()
    var hasChecksum = false
    if let star = text.lastIndex(of: UInt8(ascii: "*")) {
      var digits = text[(star + 1)...]
      // AIS receivers append further fields after the checksum, including the time.
      if start == UInt8(ascii: "!") { digits = digits.prefix { $0 != UInt8(ascii: ",") } }
      guard digits.count == 2, let high = hexDigit(digits[digits.startIndex]),
        let low = hexDigit(digits[digits.startIndex + 1])
      else {
        throw FormatError("the checksum is not two hexadecimal digits")
      }
      text = text[..<star]
      let sum = text.reduce(0, ^)
      guard sum == high << 4 | low else {
        throw FormatError("the checksum is wrong: the computed checksum is \(hex(sum))")
      }
      hasChecksum = true
    } else if needsChecksum {
      throw FormatError("the sentence has no checksum, but other sentences do: it may be truncated")
    }
    let fields = NMEAFields(UnsafeBufferPointer(rebasing: text))
    guard start == UInt8(ascii: "$") else {
      let address = fields[0]
      let isAIS = address.count == 5 && (address.ends(in: "VDM") || address.ends(in: "VDO"))
      return (isAIS ? .ais(try AISFragment(fields)) : .other, hasChecksum)
    }
    return (try sentence(fields), hasChecksum)
  }

  /// The time that an AIS receiver has added, in milliseconds since 1970. It is the member `c` of a
  /// tag block before the sentence, or the last field after the checksum.
  package static func receptionTime(of line: UnsafeBufferPointer<UInt8>) -> Int64? {
    var text = line[...]
    while let last = text.last, last == 0x20 || last == 0x0D || last == 0x09 { text.removeLast() }
    while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    if text.first == UInt8(ascii: "\\") {
      let block = text.dropFirst().prefix { $0 != UInt8(ascii: "\\") }
      let members = block.prefix { $0 != UInt8(ascii: "*") }.split(separator: UInt8(ascii: ","))
      return members.first { $0.starts(with: "c:".utf8) }.flatMap { time($0.dropFirst(2)) }
    }
    guard let star = text.lastIndex(of: UInt8(ascii: "*")) else { return nil }
    let fields = text[star...].split(separator: UInt8(ascii: ","))
    return fields.dropFirst().last.flatMap { time($0) }
  }

  /// Converts a time in seconds or milliseconds since 1970 to milliseconds; nil for numbers that are neither.
  private static func time(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    guard (9...13).contains(digits.count), digits.allSatisfy({ $0.isDigit }) else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
    return digits.count > 11 ? number : number * 1000
  }

  private static func sentence(_ fields: NMEAFields) throws(FormatError) -> NMEASentence {
    let address = fields[0]
    // Proprietary addresses start with P. Other addresses consist of two letters for the talker and
    // three letters for the type.
    guard address.count == 5, address.first != UInt8(ascii: "P") else {
      guard address.count >= 3, address.allSatisfy({ $0.isLetterOrDigit }) else {
        throw FormatError("no NMEA sentence")
      }
      return .other
    }
    switch String(decoding: address.suffix(3), as: UTF8.self) {
    case "RMC": return .rmc(try RMC(fields))
    case "GGA": return .gga(try GGA(fields))
    case "ZDA":
      guard let time = try fields.timeOfDay(1), !fields[4].isEmpty else { return .other }
      let date = try fields.date(
        day: fields.whole(2), month: fields.whole(3), year: fields.whole(4))
      return .zda(timeOfDay: time, date: date)
    default: return .other
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count < 2 ? "0" + text : text
  }
}

extension NMEASentence.RMC {
  init(_ fields: NMEAFields) throws(FormatError) {
    guard fields.count >= 10 else {
      throw FormatError("the RMC sentence has only \(fields.count) fields")
    }
    guard let time = try fields.timeOfDay(1), !fields[9].isEmpty else {
      throw FormatError("no fix: the sentence has no time and date")
    }
    timeOfDay = time
    let digits = fields[9]
    guard digits.count == 6, digits.allSatisfy({ $0.isDigit }) else {
      throw FormatError("the date is not ddmmyy")
    }
    let number = fields.whole(9) ?? 0
    // Two-digit years are from 1980 to 2079, because GPS time began in 1980.
    let year = number % 100 < 80 ? 2000 + number % 100 : 1900 + number % 100
    date = try fields.date(day: number / 10_000, month: number / 100 % 100, year: year)
    let isValid = fields[2].elementsEqual([UInt8(ascii: "A")])
    let isVoid = fields[2].elementsEqual([UInt8(ascii: "V")])
    guard isValid || isVoid else { throw FormatError("the status is neither A nor V") }
    point = isValid ? try fields.point(3) : nil
    speed = try fields.number(7) * NMEASentence.knot
    course = try fields.number(8)
  }
}

extension NMEASentence.GGA {
  init(_ fields: NMEAFields) throws(FormatError) {
    guard fields.count >= 10 else {
      throw FormatError("the GGA sentence has only \(fields.count) fields")
    }
    guard let time = try fields.timeOfDay(1) else {
      throw FormatError("no fix: the sentence has no time")
    }
    timeOfDay = time
    guard let quality = fields.whole(6) else { throw FormatError("the quality is not a number") }
    self.quality = quality
    point = quality > 0 ? try fields.point(2) : nil
    satellites = fields.whole(7)
    horizontalDilution = try fields.number(8)
    altitude = try fields.number(9)
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func ends(in text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
