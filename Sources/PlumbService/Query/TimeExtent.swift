import Plumb
import PlumbIO

/// The time span of the `time` parameter in milliseconds since 1970-01-01T00:00:00Z, including both
/// ends.
struct TimeExtent: Sendable, Hashable {
  private(set) var first = Int64.min
  private(set) var last = Int64.max

  func contains(_ time: Int64) -> Bool { first <= time && time <= last }
}

extension TimeExtent {
  /// The last date of layers with dates in the time span.
  var moment: RasterMoment {
    let period = RasterDates.period(fromMilliseconds: first, to: last)
    return .last(from: period.first, to: period.last)
  }
}

extension Parameters {
  /// Reads an instant, or a start and an end separated by a comma; nil if the parameter is missing.
  /// The start or the end may be `null`, which means unlimited.
  func time() throws(ServiceError) -> TimeExtent? {
    guard let text = word("time") else { return nil }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      String($0).trimmingASCIISpace()
    }
    var ends: [Int64?] = []
    for part in parts {
      guard !part.isEmpty, part.lowercased() != "null" else {
        ends.append(nil)
        continue
      }
      guard let number = Double(plain: part), let time = Int64(part) ?? Int64(exactly: number)
      else {
        throw ServiceError(
          "'time' parameter is invalid: \(part.shown) is not a number of milliseconds since 1970")
      }
      ends.append(time)
    }
    guard ends.count <= 2, let start = ends.first, let end = ends.last else {
      throw ServiceError("'time' parameter is invalid: expected an instant, or a start and an end")
    }
    // A span that is unlimited on both sides does not filter.
    if start == nil, end == nil { return nil }
    let extent = TimeExtent(first: start ?? .min, last: end ?? .max)
    guard extent.first <= extent.last else {
      throw ServiceError("'time' parameter is invalid: the end is before the start")
    }
    return extent
  }
}

extension FeatureRows {
  /// Returns the rows whose time is in an extent. Rows without a time are omitted.
  ///
  /// - Throws: for a layer without a time field.
  func rows(_ some: [Int], in extent: TimeExtent) throws -> [Int] {
    guard let timeField else { throw missingTime }
    var found: [Int] = []
    for (count, row) in some.enumerated() {
      if count % 1024 == 0 { try WorkCancellation.checkCurrent() }
      if case .integer(let time) = value(row, timeField), extent.contains(time) {
        found.append(row)
      }
    }
    return found
  }

  private var missingTime: ServiceError {
    let count = fields.count { $0.kind == .date }
    return ServiceError(
      "'time' parameter is not supported: "
        + (count == 0
          ? "the layer has no field of dates; leave it out"
          : "the layer has \(count) fields of dates; compare one of them in where"))
  }
}
