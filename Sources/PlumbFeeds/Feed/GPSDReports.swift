import PlumbCore
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Reads locations from the reports of gpsd, which are JSON objects with a member `class`. A report
/// of class TPV (time, position, velocity) is a row, and its entity is the device. Other reports
/// are ignored.
struct GPSDReports {
  private static let start = Array(#"{"class":""#.utf8)

  static func isReport(_ line: some Collection<UInt8>) -> Bool { line.starts(with: start) }

  /// The values of a report; NaN if absent.
  private struct Report {
    var isTPV = false
    var device = ""
    var time: Int64?
    var (x, y) = (Double.nan, Double.nan)
    var (accuracy, verticalAccuracy) = (Double.nan, Double.nan)
    var (speed, course, altitude) = (Double.nan, Double.nan, Double.nan)
  }

  /// Adds the row of a report if the bytes are a report with a location.
  ///
  /// - Returns: whether a location was added.
  func add(_ bytes: UnsafeBufferPointer<UInt8>, line: Int, to rows: inout LocationRows)
    -> Bool
  {
    let report: Report
    do {
      report = try Self.read(bytes)
    } catch {
      rows.addBad(line: line, "invalid JSON in a report of gpsd")
      return false
    }
    guard report.isTPV else { return false }
    rows.hasRead = true
    guard let time = report.time, report.x.isFinite, report.y.isFinite else {
      rows.addBad(line: line, "the receiver has no fix")
      return false
    }
    var row = LocationRow(time: time, x: report.x, y: report.y)
    (row.horizontalAccuracy, row.verticalAccuracy) = (report.accuracy, report.verticalAccuracy)
    (row.speed, row.course) = (report.speed, report.course)
    let entity = rows.entities.number(of: report.device)
    guard rows.add(row, entity: entity, line: line) else { return false }
    if rows.readsAttributes, let field = rows.field("altitude") {
      rows.set(report.altitude.isNaN ? .null : .real(report.altitude), field: field)
    }
    return true
  }

  private static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Report {
    var report = Report()
    var scanner = JSONScanner(bytes)
    func number() throws -> Double {
      guard scanner.peek().map({ $0 == UInt8(ascii: "-") || $0 &- 48 <= 9 }) == true else {
        try scanner.skipValue()
        return .nan
      }
      return try scanner.readDouble()
    }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let isText = scanner.peek() == UInt8(ascii: "\"")
      switch scanner.text(of: key) {
      case "class" where isText: report.isTPV = try scanner.readString() == "TPV"
      case "device" where isText: report.device = try scanner.readString()
      case "time" where isText:
        var text = try scanner.readString()
        report.time = text.withUTF8 { LocationTime.parse($0) }
      case "lon": report.x = try number()
      case "lat": report.y = try number()
      case "eph": report.accuracy = try number()
      case "epv": report.verticalAccuracy = try number()
      case "speed": report.speed = try number()
      case "track": report.course = try number()
      case "altMSL": report.altitude = try number()
      case "alt":
        if report.altitude.isNaN { report.altitude = try number() } else { try scanner.skipValue() }
      default: try scanner.skipValue()
      }
    }
    return report
  }
}
