import PlumbCore
import PlumbRaster
import Synchronization

/// The dates of a raster layer in ascending order, and the raster of each.
public final class RasterDates: Sendable {
  /// The dates in ascending order, without duplicates.
  public let dates: [ImageDate]
  /// The dates in ISO 8601 format.
  public let texts: [String]
  /// The raster of all files.
  package let whole: Raster
  /// The stack that the dates were created from, for engines that read several dates at once.
  package let stack: any Sendable
  private let open: @Sendable (Int) throws -> Raster
  /// The rasters that have been used. They are kept because the tile cache identifies a raster by
  /// its object identity.
  private let known = Mutex<[Int: Raster]>([:])
  private static let knownLimit = 4096

  /// - Parameters:
  ///   - whole: the raster of all files.
  ///   - dates: one or more dates in ascending order, one for each of `texts`.
  ///   - open: returns the raster of the date at a given index.
  package init(
    whole: Raster, dates: [ImageDate], texts: [String], stack: any Sendable,
    open: @escaping @Sendable (Int) throws -> Raster
  ) {
    precondition(!dates.isEmpty && dates.count == texts.count, "dates and texts are parallel")
    (self.whole, self.dates, self.texts) = (whole, dates, texts)
    (self.stack, self.open) = (stack, open)
  }

  /// The number of dates, and the first and the last of them, as text.
  package var summary: String {
    texts.count == 1
      ? texts[0] : "\(texts.count) dates from \(texts[0]) to \(texts[texts.count - 1])"
  }

  /// Returns the raster of a date.
  ///
  /// - Parameter index: an index of `dates`.
  package func raster(at index: Int) throws -> Raster {
    if let raster = known.withLock({ $0[index] }) { return raster }
    let raster = try open(index)
    return known.withLock { known in
      if let other = known[index] { return other }
      if known.count >= Self.knownLimit { known.removeAll() }
      known[index] = raster
      return raster
    }
  }

  /// The indices of the dates that overlap a period. A date without a time of day lasts for the
  /// whole day.
  ///
  /// - Parameters:
  ///   - first: the first time in microseconds, inclusive.
  ///   - last: the last time, inclusive.
  package func indices(from first: Int64, to last: Int64) -> [Int] {
    guard first <= last else { return [] }
    return dates.indices.filter { dates[$0].span.overlaps(first...last) }
  }

  private func count(before time: Int64) -> Int {
    var (low, high) = (0, dates.count)
    while low < high {
      let middle = (low + high) / 2
      if dates[middle].microseconds < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of the date that is read for a time; nil if no date is near enough.
  package func index(at moment: RasterMoment?) -> Int? {
    guard let moment else { return dates.count - 1 }
    switch moment {
    case .nearest(let time, let window):
      let next = count(before: time)
      let candidates = [next - 1, next].filter { dates.indices.contains($0) }
      func distance(_ index: Int) -> UInt64 {
        // The difference of two signed 64-bit numbers may exceed `Int64.max`.
        let date = dates[index].microseconds
        return UInt64(bitPattern: date > time ? date &- time : time &- date)
      }
      // If two dates are equally far, the earlier one is first.
      guard let nearest = candidates.min(by: { distance($0) < distance($1) }) else { return nil }
      if let window, distance(nearest) > UInt64(max(0, window)) { return nil }
      return nearest
    case .last(let first, let last):
      return indices(from: first, to: last).last
    }
  }
}

/// The time at which layers with dates are read.
public enum RasterMoment: Sendable, Hashable {
  /// The date that is nearest to a time, in microseconds since 1970. If two dates are equally near, the
  /// earlier date is used. `within` is the maximum distance of the date from the time, in microseconds;
  /// nil for no limit.
  case nearest(Int64, within: Int64?)
  /// The last date that overlaps a period, whose ends are inclusive.
  case last(from: Int64, to: Int64)
}
