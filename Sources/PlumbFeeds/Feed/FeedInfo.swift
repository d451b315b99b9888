import PlumbCore
import PlumbExpressions
import PlumbFormats
import PlumbGeotriggers
import PlumbSources

/// A description of a recording of a GPS or AIS receiver (NMEA sentences or reports of gpsd), as
/// text and as JSON. `VectorInfo` describes feeds in other formats, which are files of features.
public struct FeedInfo {
  private let path: String
  private let names: [SourceUse: String]
  /// The contents; nil for a file that is too long to be read completely.
  private var contents: Contents?
  private let isReports: Bool

  private struct Contents {
    var sentences = 0
    var reports = 0
    var locations = 0
    /// The number of rows that are not locations, plus the number of skipped parts of the file.
    var issues = 0
    /// The range of times in milliseconds since 1970.
    var times: ClosedRange<Int64>?
  }

  /// The possible uses of the feed.
  public var uses: [SourceUse] { [.feed, .location] }
  /// The maximum size in bytes of a file that is read completely. Only the beginning of a
  /// larger file is read.
  private static let sizeLimit = 256 << 20

  /// - Parameters:
  ///   - path: a file of NMEA sentences or of reports of gpsd.
  ///   - names: the names of the uses.
  /// - Returns: nil when the path is not a file of sentences or reports.
  public init?(_ path: String, names: [SourceUse: String] = [:]) {
    guard let size = DocumentFile.size(of: path),
      let feed = try? LocationFeed(path, attributes: false), feed.format == .nmea
    else { return nil }
    self.path = path
    self.names = names
    var contents = Contents()
    do throws(PlumbError) {
      while let batch = try feed.next(limit: 1 << 16) {
        contents.locations += batch.count
        contents.issues += feed.drainIssues().count
        if let first = batch.time.min(), let last = batch.time.max() {
          contents.times =
            min(
              first, contents.times?.lowerBound ?? first)...max(
              last, contents.times?.upperBound ?? last)
        }
        if size > Self.sizeLimit { break }
      }
    } catch {
      // The error is ignored. The sentences have no date, or the rest of the file cannot be read,
      // but the rows before the error are enough to identify the file.
    }
    contents.issues += feed.drainIssues().count
    (contents.sentences, contents.reports) = feed.nmeaCounts ?? (0, 0)
    guard contents.sentences + contents.reports > 0 else { return nil }
    // Any large binary file may contain lines that look like sentences. A recording with binary
    // packets also contains locations.
    if contents.locations == 0, Self.isBinary(path) { return nil }
    isReports = contents.sentences == 0
    self.contents = size > Self.sizeLimit ? nil : contents
  }

  /// Whether the beginning of a file is binary.
  private static func isBinary(_ path: String) -> Bool {
    (try? DocumentFile(startOf: path, limit: 1 << 16))?.bytes.contains(0) ?? false
  }

  private var facts: [(name: String, value: FieldValue)] {
    let number = { (count: Int?) in count.map { FieldValue.integer(Int64($0)) } ?? .null }
    let time = { (time: Int64?) in
      time.map { FieldValue.text(ArcadeDate(milliseconds: $0).iso) } ?? .null
    }
    var facts: [(name: String, value: FieldValue)] = [
      ("path", .text(path)),
      ("type", .text(isReports ? "reports of gpsd" : "NMEA 0183 sentences")),
      ("use", .text(uses.text(names))), ("crs", .text("EPSG:4326")),
    ]
    if !isReports { facts.append(("sentences", number(contents?.sentences))) }
    if isReports || contents.map({ $0.reports > 0 }) ?? false {
      facts.append(("reports", number(contents?.reports)))
    }
    return facts + [
      ("locations", number(contents?.locations)), ("issues", number(contents?.issues)),
      ("start", time(contents?.times?.lowerBound)), ("end", time(contents?.times?.upperBound)),
    ]
  }

  /// The description as one JSON object on one line.
  public var json: String {
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(members: facts.map { ($0.name, $0.value) }, to: &text)
    text.append(UInt8(ascii: "}"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The description as text, with one line `name: value` for each property. The value is `not
  /// known` if the feed does not contain it.
  public var text: String {
    facts.map { "\($0.name): \($0.value == .null ? "not known" : $0.value.text.printable)" }
      .joined(separator: "\n")
  }
}
