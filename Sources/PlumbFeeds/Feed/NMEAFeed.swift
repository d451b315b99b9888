import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Reads locations from NMEA 0183 sentences: the locations of one receiver, and the locations of
/// ships whose AIS messages it receives.
///
/// All sentences with the same time of day are one row, regardless of their talkers. The row's
/// location comes from the RMC sentence or, without an RMC sentence, from the GGA sentence. The
/// row's date comes from an RMC or ZDA sentence. A GGA sentence has the last known date, or the
/// next day if the time of day decreases by more than half a day. GGA sentences before the first
/// date, and times without a fix, are issues. Sentences of other kinds are not rows.
///
/// Reading may begin in the middle of a receiver's stream, and data of other protocols may be
/// interleaved. All bytes before the first sentence, binary packets, comments (`#`) and reports of
/// gpsd are skipped. If a line begins with other text, a sentence at the end of the line is read if
/// its checksum is correct. Any other line that is not a sentence, or that has a wrong checksum, is
/// an invalid row.
///
/// Each position report of AIS (types 1 to 3, 18 and 19) is a separate row, whose entity is the
/// ship's identity (MMSI). `AISClock` determines its time.
///
/// A row is added when the same kinds of sentences have arrived as for the previous time. The first
/// row is added when a sentence with the second time arrives, or when a live feed has been silent
/// for some time. Later sentences for the same time are ignored.
final class NMEAFeed: FeedReader {
  private let path: String
  private var walk = FeedLineWalk()
  private var hasChecksums = false
  private var epoch: Epoch?
  /// Whether sentences of kinds RMC and GGA arrived for the previous time; nil for the first time.
  private var habit: (rmc: Bool, gga: Bool)?
  /// The last known day as a number of days since 1970, and the time of day of the sentence with
  /// this day.
  private var day: (number: Int64, timeOfDay: Int64)?
  private var hasGGAWithoutDate = false
  private var hasFix = false
  private var hasSentence = false
  /// Whether binary packets have been found between the sentences.
  private var isMixed = false
  private var hasSkippedText = false
  private let reports = GPSDReports()
  private var messages = AISAssembler()
  private var clock: AISClock
  /// The number of sentences of any kind so far.
  private var sentenceCount = 0
  /// The number of reports of gpsd of any kind so far.
  private var reportCount = 0
  var nmeaCounts: (sentences: Int, reports: Int)? { (sentenceCount, reportCount) }

  /// The sentences of one time of day.
  private struct Epoch {
    var timeOfDay: Int64
    var line: Int
    var rmc: NMEASentence.RMC?
    var gga: NMEASentence.GGA?
    var isDone = false
  }

  /// - Parameter isLive: whether AIS reports without a time have the current time.
  init(path: String, isLive: Bool) {
    self.path = path
    clock = AISClock(isLive: isLive)
  }

  func read(
    from window: FeedWindow, into rows: inout LocationRows, limit: Int
  ) throws(PlumbError) {
    while rows.count < limit {
      switch walk.next(window) {
      case .notThere:
        guard window.isAtEnd else { return }
        return try finish(&rows)
      case .tooLong: skipBinary(window.line, &rows)
      case .line(let range, let next):
        guard read(range, of: window, &rows, limit: limit) else { return }
        window.advancePastLine(to: next)
      }
    }
  }

  /// - Returns: false when the batch is full. In this case, the line has not been read.
  private func read(
    _ range: Range<Int>, of window: FeedWindow, _ rows: inout LocationRows, limit: Int
  ) -> Bool {
    let (line, bytes) = (window.line, window.bytes(range))
    do throws(FormatError) {
      guard let (sentence, hasChecksum) = try NMEALine.sentence(in: bytes, hasChecksums) else {
        skip(bytes, window.sample(range), line, &rows)
        return true
      }
      hasChecksums = hasChecksums || hasChecksum
      hasSentence = true
      if sentence.timeOfFix != nil { rows.hasRead = true }
      // A new time adds the row of the previous time, which may fill the batch.
      if let time = sentence.timeOfFix, time != epoch?.timeOfDay { flush(&rows) }
      guard rows.count < limit else { return false }
      sentenceCount += 1
      if case .ais(let fragment) = sentence {
        try add(fragment, receivedAt: NMEASentence.receptionTime(of: bytes), line, &rows)
      } else {
        add(sentence, line, &rows)
      }
    } catch {
      if isMixed, NMEALine.isBinary(bytes) { return true }
      rows.addBad(line: line, "\(error.message): \(window.sample(range))")
    }
    return true
  }

  private func skip(
    _ bytes: UnsafeBufferPointer<UInt8>, _ sample: String, _ line: Int, _ rows: inout LocationRows
  ) {
    switch NMEALine.Kind(bytes) {
    case .comment: break
    case .report:
      reportCount += 1
      // Reports are ignored after the first sentence, because gpsd may send the same locations as
      // reports and as sentences.
      if !hasSentence { hasFix = reports.add(bytes, line: line, to: &rows) || hasFix }
    case .binary: skipBinary(line, &rows)
    case .text:
      if isMixed { return }
      if hasSentence { return rows.addBad(line: line, "not an NMEA sentence: \(sample)") }
      if !hasSkippedText {
        hasSkippedText = true
        rows.note(line: line, "skipped text before the first NMEA sentence: \(sample)")
      }
    }
  }

  private func skipBinary(_ line: Int, _ rows: inout LocationRows) {
    guard !isMixed else { return }
    isMixed = true
    rows.note(line: line, "bytes that are not text are skipped from here on")
  }

  // MARK: AIS

  private func add(
    _ fragment: AISFragment, receivedAt time: Int64?, _ line: Int, _ rows: inout LocationRows
  ) throws(FormatError) {
    if let time { clock.set(time, isOfReport: true) }
    guard let message = try messages.add(fragment) else { return }
    switch message {
    case .other: return
    case .time(let time): if let time { clock.set(time, isOfReport: false) }
    case .position(let report):
      rows.hasRead = true
      guard let point = report.point else {
        return rows.addBad(line: line, "the report of \(report.identity) has no position")
      }
      if !clock.hasDate {
        rows.remark(
          "the AIS reports have no date: their times count from 1970-01-01T00:00:00Z")
      }
      var row = LocationRow(time: clock.time(second: report.second), x: point.x, y: point.y)
      (row.speed, row.course) = (report.speed, report.course)
      let entity = rows.entities.number(of: report.identity)
      guard rows.add(row, entity: entity, line: line) else { return }
      hasFix = true
      guard rows.readsAttributes else { return }
      let heading = report.heading.map { FieldValue.integer(Int64($0)) } ?? .null
      for (name, value) in [("type", FieldValue.integer(Int64(report.type))), ("heading", heading)]
      {
        if let field = rows.field(name) { rows.set(value, field: field) }
      }
    }
  }

  // MARK: Silence

  var isHolding: Bool { epoch.map { !$0.isDone } ?? false }

  func handOn(into rows: inout LocationRows) {
    if isHolding { emit(&rows) }
  }

  private func finish(_ rows: inout LocationRows) throws(PlumbError) {
    flush(&rows)
    if hasGGAWithoutDate, !hasFix, day == nil {
      throw PlumbError(
        "\(path): GGA sentences have no date; record RMC or ZDA sentences with them")
    }
    if !hasSentence, !hasFix { throw PlumbError("\(path) has no NMEA sentence") }
  }

  // MARK: Times

  private func add(_ sentence: NMEASentence, _ line: Int, _ rows: inout LocationRows) {
    switch sentence {
    case .other, .ais: return
    case .zda(let time, let date):
      if let number = LocationTime.days(Int64(date.year), Int64(date.month), Int64(date.day)) {
        day = (number, time)
      }
      return
    case .rmc(let rmc):
      begin(rmc.timeOfDay, line)
      if epoch?.rmc == nil { epoch?.rmc = rmc }
    case .gga(let gga):
      begin(gga.timeOfDay, line)
      if epoch?.gga == nil { epoch?.gga = gga }
    }
    guard let habit, let epoch, !epoch.isDone else { return }
    if !habit.rmc || epoch.rmc != nil, !habit.gga || epoch.gga != nil { emit(&rows) }
  }

  private func begin(_ timeOfDay: Int64, _ line: Int) {
    if epoch == nil { epoch = Epoch(timeOfDay: timeOfDay, line: line) }
  }

  /// Adds the row of the current time if it has not been added, and ends the current time.
  private func flush(_ rows: inout LocationRows) {
    guard let epoch else { return }
    if !epoch.isDone { emit(&rows) }
    habit = (epoch.rmc != nil, epoch.gga != nil)
    self.epoch = nil
  }

  /// Converts the current time to a row.
  private func emit(_ rows: inout LocationRows) {
    guard let epoch else { return }
    self.epoch?.isDone = true
    if let date = epoch.rmc?.date {
      guard let number = LocationTime.days(Int64(date.year), Int64(date.month), Int64(date.day))
      else {
        return rows.addBad(line: epoch.line, "the date does not exist")
      }
      day = (number, epoch.timeOfDay)
    } else if let known = day {
      let half: Int64 = 43_200_000
      let isNext = epoch.timeOfDay < known.timeOfDay - half
      // A time of day that is much later than the last time belongs to a late sentence from before
      // midnight.
      let isBefore = epoch.timeOfDay > known.timeOfDay + half
      if !isBefore { day = (known.number + (isNext ? 1 : 0), epoch.timeOfDay) }
      if isBefore { return add(epoch, day: known.number - 1, &rows) }
    }
    guard let day else {
      hasGGAWithoutDate = true
      return rows.addBad(line: epoch.line, "a time of day before the first date")
    }
    add(epoch, day: day.number, &rows)
  }

  private func add(_ epoch: Epoch, day: Int64, _ rows: inout LocationRows) {
    guard let point = epoch.rmc?.point ?? epoch.gga?.point else {
      return rows.addBad(line: epoch.line, "the receiver has no fix")
    }
    var row = LocationRow(
      time: day * 86_400_000 + epoch.timeOfDay, x: point.x, y: point.y)
    if let rmc = epoch.rmc, rmc.point != nil { (row.speed, row.course) = (rmc.speed, rmc.course) }
    let entity = rows.entities.number(of: "")
    guard rows.add(row, entity: entity, line: epoch.line) else { return }
    hasFix = true
    guard rows.readsAttributes, let gga = epoch.gga else { return }
    let values: [(String, FieldValue)] = [
      ("altitude", gga.altitude.isNaN ? .null : .real(gga.altitude)),
      ("hdop", gga.horizontalDilution.isNaN ? .null : .real(gga.horizontalDilution)),
      ("satellites", gga.satellites.map { .integer(Int64($0)) } ?? .null),
      ("quality", .integer(Int64(gga.quality))),
    ]
    for (name, value) in values {
      if let field = rows.field(name) { rows.set(value, field: field) }
    }
  }
}

extension NMEASentence {
  /// The time of day of a sentence with a position.
  fileprivate var timeOfFix: Int64? {
    switch self {
    case .rmc(let rmc): rmc.timeOfDay
    case .gga(let gga): gga.timeOfDay
    case .zda, .ais, .other: nil
    }
  }
}
