import PlumbIO

/// A message of a ship's transponder (AIS, ITU-R M.1371). Only messages with a position or time are
/// decoded.
package enum AISMessage: Sendable, Hashable {
  /// A position report: types 1 to 3 (class A) and types 18 and 19 (class B).
  case position(Position)
  /// A time report: types 4 (base station) and 11. The value is the time in milliseconds since
  /// 1970; nil if the time is not available.
  case time(Int64?)
  /// A message of another type.
  case other

  package struct Position: Sendable, Hashable {
    package var type: Int
    /// The maritime mobile service identity, of nine digits.
    package var identity: String
    /// The longitude and latitude in degrees; nil if they are not available.
    package var point: SIMD2<Double>?
    /// The speed over ground in metres per second; NaN if not available.
    package var speed: Double
    /// The course over ground in degrees from north; NaN if not available.
    package var course: Double
    /// The second of the minute, UTC; nil if not available.
    package var second: Int?
    /// The true heading in degrees from north; nil if not available.
    package var heading: Int?
  }

  /// Decodes the bits of a payload.
  ///
  /// - Throws: if the payload is shorter than its type requires.
  package init(_ bits: AISPayload) throws(FormatError) {
    switch bits.unsigned(0, 6) {
    case 1, 2, 3: self = .position(try Position(bits, at: 50, secondAt: 137))
    case 18, 19: self = .position(try Position(bits, at: 46, secondAt: 133))
    case 4, 11: self = .time(try Self.time(bits))
    default: self = .other
    }
  }

  private static func time(_ bits: AISPayload) throws(FormatError) -> Int64? {
    guard bits.count >= 78 else {
      throw FormatError(
        "the AIS message of type \(bits.unsigned(0, 6)) has only \(bits.count) bits")
    }
    let (year, month, day) = (bits.unsigned(38, 14), bits.unsigned(52, 4), bits.unsigned(56, 5))
    let (hour, minute, second) = (bits.unsigned(61, 5), bits.unsigned(66, 6), bits.unsigned(72, 6))
    guard year > 0, month > 0, month <= 12, day > 0, hour < 24, minute < 60, second < 60,
      year <= 9999
    else { return nil }
    let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
    guard date.isValid else { return nil }
    return date.daysSince1970 * 86_400_000 + Int64((hour * 60 + minute) * 60 + second) * 1000
  }
}

extension AISMessage.Position {
  /// - Parameters:
  ///   - start: the first bit of the speed, which is followed by the accuracy and the point.
  ///   - secondAt: the first bit of the second of the minute.
  fileprivate init(_ bits: AISPayload, at start: Int, secondAt: Int) throws(FormatError) {
    type = bits.unsigned(0, 6)
    guard bits.count >= secondAt + 6 else {
      throw FormatError("the AIS message of type \(type) has only \(bits.count) bits")
    }
    let digits = String(bits.unsigned(8, 30))
    identity = String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    let (speed, course) = (bits.unsigned(start, 10), bits.unsigned(start + 66, 12))
    // Speed is in tenths of a knot, course in tenths of a degree.
    self.speed = speed < 1023 ? Double(speed) / 10 * NMEASentence.knot : .nan
    self.course = course < 3600 ? Double(course) / 10 : .nan
    let heading = bits.unsigned(start + 78, 9)
    self.heading = heading < 360 ? heading : nil
    // Coordinates are in 1/10,000 of a minute.
    let x = Double(bits.signed(start + 11, 28)) / 600_000
    let y = Double(bits.signed(start + 39, 27)) / 600_000
    point = abs(x) <= 180 && abs(y) <= 90 ? SIMD2(x, y) : nil
    let second = bits.unsigned(secondAt, 6)
    self.second = second < 60 ? second : nil
  }
}

/// The bits of an AIS message, encoded in sentences as characters of six bits each.
package struct AISPayload: Sendable {
  private var sixes: [UInt8] = []
  /// The number of bits.
  package private(set) var count = 0

  /// The maximum number of bits. The longest message takes five slots of 256 bits.
  private static let limit = 1280

  package init() {}

  /// Appends the payload of a sentence.
  ///
  /// - Parameter fill: the number of padding bits at the end of the payload.
  package mutating func append(
    _ text: UnsafeBufferPointer<UInt8>, fill: Int
  ) throws(FormatError) {
    guard (sixes.count + text.count) * 6 <= Self.limit, fill < 6, count % 6 == 0 else {
      throw FormatError("the AIS payload is too long")
    }
    for byte in text {
      guard (48...87).contains(byte) || (96...119).contains(byte) else {
        throw FormatError("the AIS payload contains a character that does not encode six bits")
      }
      sixes.append(byte < 96 ? byte - 48 : byte - 56)
    }
    count = max(0, sixes.count * 6 - fill)
  }

  /// Reads an unsigned number. Bits beyond the end are 0.
  func unsigned(_ start: Int, _ length: Int) -> Int {
    var value = 0
    for bit in start..<start + length {
      let six = bit / 6 < sixes.count && bit < count ? sixes[bit / 6] : 0
      value = value << 1 | Int(six >> (5 - bit % 6) & 1)
    }
    return value
  }

  /// Reads a number in two's complement.
  func signed(_ start: Int, _ length: Int) -> Int {
    let value = unsigned(start, length)
    return value >> (length - 1) == 0 ? value : value - 1 << length
  }
}

/// Assembles AIS messages that span several sentences.
package struct AISAssembler: Sendable {
  private struct Part {
    var key: [UInt8]
    var total: Int
    var next: Int
    var payload: AISPayload
  }

  private var parts: [Part] = []
  /// The maximum number of incomplete messages. If it is exceeded, the oldest incomplete message is
  /// dropped.
  private static let limit = 16

  package init() {}

  /// Adds the fields of a sentence. The fields are the number of sentences of the message, the
  /// number of this sentence, the message's number, the channel, the payload and its fill bits.
  ///
  /// - Returns: the message; nil if sentences are still missing.
  package mutating func add(_ fields: AISFragment) throws(FormatError) -> AISMessage? {
    if fields.total == 1 {
      var payload = AISPayload()
      try fields.payload.withBytes { bytes throws(FormatError) in
        try payload.append(bytes, fill: fields.fill)
      }
      return try AISMessage(payload)
    }
    let offset = parts.firstIndex { $0.key == fields.key && $0.total == fields.total }
    if fields.number == 1 {
      if let offset { parts.remove(at: offset) }
      if parts.count >= Self.limit { parts.removeFirst() }
      parts.append(Part(key: fields.key, total: fields.total, next: 1, payload: AISPayload()))
    } else if offset == nil {
      // The previous sentences of the message were not received.
      return nil
    }
    let index = fields.number == 1 ? parts.count - 1 : offset ?? 0
    var part = parts.remove(at: index)
    guard part.next == fields.number else { return nil }
    try fields.payload.withBytes { bytes throws(FormatError) in
      try part.payload.append(bytes, fill: fields.fill)
    }
    if part.next == part.total { return try AISMessage(part.payload) }
    part.next += 1
    parts.append(part)
    return nil
  }
}

/// The fields of a VDM or VDO sentence.
package struct AISFragment: Sendable, Hashable {
  var total: Int
  var number: Int
  /// The message's number and channel.
  var key: [UInt8]
  var payload: [UInt8]
  var fill: Int

  init(_ fields: NMEAFields) throws(FormatError) {
    guard fields.count >= 7, let total = fields.whole(1), let number = fields.whole(2),
      (1...9).contains(total), (1...total).contains(number), let fill = fields.whole(6)
    else { throw FormatError("the fields of an AIS sentence are invalid") }
    (self.total, self.number, self.fill) = (total, number, fill)
    key = Array(fields[3]) + [0] + Array(fields[4])
    payload = Array(fields[5])
  }
}

extension [UInt8] {
  fileprivate func withBytes(
    _ body: (UnsafeBufferPointer<UInt8>) throws(FormatError) -> Void
  ) throws(FormatError) {
    let result: Result<Void, FormatError> = withUnsafeBufferPointer { bytes in
      do throws(FormatError) {
        return .success(try body(bytes))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }
}
