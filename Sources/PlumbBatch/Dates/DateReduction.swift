import PlumbCore
import PlumbRaster
import PlumbSources

/// A statistic of the values of the dates around a row's time.
package enum DateReduction: String, Sendable, CaseIterable {
  case mean, min, max, count
  /// The slope of the values per day, by least squares.
  case slope

  /// Parses names separated by commas.
  ///
  /// - Throws: for an unknown name, and for a name that occurs twice.
  package static func list(_ text: String) throws(PlumbError) -> [DateReduction] {
    var list: [DateReduction] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      let names = allCases.map(\.rawValue).joined(separator: ", ")
      guard let reduction = DateReduction(rawValue: String(name)) else {
        throw PlumbError(
          messageTemplate: "\(.reduce): \(String(name).printable) is not one of \(names)",
          code: .badOption)
      }
      guard !list.contains(reduction) else {
        throw PlumbError(
          messageTemplate: "\(.reduce): \(reduction.rawValue) is given twice", code: .badOption)
      }
      list.append(reduction)
    }
    return list
  }
}

/// The columns of a result whose values are computed from several dates.
struct DateLayout: Sendable {
  /// The type of each column.
  var types: [PixelType]
  /// The columns that determine whether a row has a value.
  var valueColumns: [Int]

  /// The columns of interpolated values: one for each band.
  static func interpolated(_ bandCount: Int) -> DateLayout {
    DateLayout(
      types: Array(repeating: .float64, count: bandCount), valueColumns: Array(0..<bandCount))
  }

  /// The columns of statistics: all columns of a band, followed by those of the next band.
  ///
  /// - Parameter isReal: whether values are doubles, because they are interpolated or scaled.
  static func reduced(
    _ reductions: [DateReduction], _ bands: [Band], isReal: (Band) -> Bool
  ) -> DateLayout {
    var layout = DateLayout(types: [], valueColumns: [])
    for band in bands {
      for reduction in reductions {
        if reduction != .count { layout.valueColumns.append(layout.types.count) }
        switch reduction {
        case .mean, .slope: layout.types.append(.float64)
        case .count: layout.types.append(.int32)
        case .min, .max: layout.types.append(isReal(band) ? .float64 : band.pixelType)
        }
      }
    }
    if layout.valueColumns.isEmpty { layout.valueColumns = Array(layout.types.indices) }
    return layout
  }
}

/// Collects the values of the dates of one stack for the rows of a part.
protocol DateCollector: AnyObject {
  /// Adds the value of a date. Dates are added in ascending order.
  ///
  /// - Parameters:
  ///   - key: for 64-bit types, an integer that sorts in the same order as the values; 0 for other types.
  ///   - band: the position of the band.
  ///   - distance: the date minus the row's time, in microseconds.
  func add(_ value: Double, key: UInt64, band: Int, row: Int, distance: Int64)
  /// Adds a date that cannot be read.
  func addFailure(row: Int, distance: Int64)
  /// Sets the results of rows with values or failures.
  func finish(_ answer: RasterAnswer)
}

/// Statistics of the values of dates.
final class ReductionCollector: DateCollector {
  /// The sums of a band at a row. They are updated by a method that loses few digits.
  private struct Sums: BitwiseCopyable {
    var count = 0.0
    var mean = 0.0
    var minimum = Double.infinity
    var maximum = -Double.infinity
    /// The keys of the minimum and the maximum.
    var (minimumKey, maximumKey) = (UInt64.max, UInt64.min)
    /// The mean of the days, the sum of products of days and values, and the sum of squares of
    /// days; both sums use deviations from the means.
    var (days, products, squares) = (0.0, 0.0, 0.0)
  }

  private let reductions: [DateReduction]
  private let bandCount: Int
  private let rowCount: Int
  private let sums: TrivialBuffer<Sums>
  private let hasFailed: TrivialBuffer<Bool>

  init(_ reductions: [DateReduction], bands: Int, rows: Int) {
    (self.reductions, bandCount, rowCount) = (reductions, bands, rows)
    sums = TrivialBuffer(count: bands * rows)
    sums.base.update(repeating: Sums(), count: bands * rows)
    hasFailed = TrivialBuffer(count: rows, zeroed: true)
  }

  func add(_ value: Double, key: UInt64, band: Int, row: Int, distance: Int64) {
    let index = band * rowCount + row
    var sum = sums.base[index]
    sum.count += 1
    let day = Double(distance) / Double(ImageDate.day)
    let (dayStep, valueStep) = (day - sum.days, value - sum.mean)
    sum.days += dayStep / sum.count
    sum.mean += valueStep / sum.count
    sum.products += dayStep * (value - sum.mean)
    sum.squares += dayStep * (day - sum.days)
    sum.minimum = Swift.min(sum.minimum, value)
    sum.maximum = Swift.max(sum.maximum, value)
    sum.minimumKey = Swift.min(sum.minimumKey, key)
    sum.maximumKey = Swift.max(sum.maximumKey, key)
    sums.base[index] = sum
  }

  func addFailure(row: Int, distance: Int64) { hasFailed.base[row] = true }

  func finish(_ answer: RasterAnswer) {
    let (ok, noData) = (SampleStatus.ok.rawValue, SampleStatus.nodata.rawValue)
    for row in 0..<rowCount {
      if hasFailed.base[row] {
        for column in answer.columns {
          column.status.base[row] = SampleStatus.readError.rawValue
        }
        continue
      }
      for band in 0..<bandCount {
        let sum = sums.base[band * rowCount + row]
        for (position, reduction) in reductions.enumerated() {
          let column = answer.columns[band * reductions.count + position]
          let status = column.status.base[row]
          if sum.count == 0 {
            // The count of a row with a point and a time is always known.
            if reduction == .count, status == SampleStatus.noValid.rawValue {
              column.status.base[row] = ok
              column.set(row, 0)
            }
            continue
          }
          let value: Double =
            switch reduction {
            case .mean: sum.mean
            case .min: sum.minimum
            case .max: sum.maximum
            case .count: sum.count
            case .slope: sum.squares > 0 ? sum.products / sum.squares : .nan
            }
          column.status.base[row] = value.isNaN ? noData : ok
          if column.pixelType == .int64 || column.pixelType == .uint64 {
            column.set(row, key: reduction == .min ? sum.minimumKey : sum.maximumKey)
          } else {
            column.set(row, value)
          }
        }
      }
    }
  }
}

/// Values between the dates before and after a row's time.
final class InterpolationCollector: DateCollector {
  /// The neighbours of a row in a band.
  private struct Neighbours: BitwiseCopyable {
    /// The distances of the dates before and after the row's time, in microseconds; `none` if there is
    /// no such date. A distance is negative for a date before the row's time.
    var before = InterpolationCollector.none
    var after = InterpolationCollector.none
    var (first, second) = (0.0, 0.0)
    var (isFirstBad, isSecondBad) = (false, false)
  }

  private static let none = Int64.min
  private let bandCount: Int
  private let rowCount: Int
  private let times: UnsafePointer<Int64>
  private let neighbours: TrivialBuffer<Neighbours>

  /// - Parameter times: the times of the rows, which must outlive the collector.
  init(bands: Int, rows: Int, times: UnsafePointer<Int64>) {
    (bandCount, rowCount, self.times) = (bands, rows, times)
    neighbours = TrivialBuffer(count: bands * rows)
    neighbours.base.update(repeating: Neighbours(), count: bands * rows)
  }

  func add(_ value: Double, key: UInt64, band: Int, row: Int, distance: Int64) {
    set(value, band, row, distance, isBad: false)
  }

  func addFailure(row: Int, distance: Int64) {
    for band in 0..<bandCount { set(0, band, row, distance, isBad: true) }
  }

  private func set(_ value: Double, _ band: Int, _ row: Int, _ distance: Int64, isBad: Bool) {
    let index = band * rowCount + row
    var pair = neighbours.base[index]
    if distance <= 0 { (pair.before, pair.first, pair.isFirstBad) = (distance, value, isBad) }
    if distance >= 0, pair.after == Self.none {
      (pair.after, pair.second, pair.isSecondBad) = (distance, value, isBad)
    }
    neighbours.base[index] = pair
  }

  func finish(_ answer: RasterAnswer) {
    for band in 0..<bandCount {
      let column = answer.columns[band]
      for row in 0..<rowCount {
        let pair = neighbours.base[band * rowCount + row]
        guard pair.before != Self.none, pair.after != Self.none else { continue }
        if pair.isFirstBad || pair.isSecondBad {
          column.status.base[row] = SampleStatus.readError.rawValue
          continue
        }
        let length = Double(pair.after - pair.before)
        let share = length > 0 ? Double(-pair.before) / length : 0
        column.status.base[row] = SampleStatus.ok.rawValue
        column.set(row, pair.first + (pair.second - pair.first) * share)
        // The result contains the nearer date or, if both are equally near, the earlier one.
        let nearer = -pair.before <= pair.after ? pair.before : pair.after
        guard let dates = answer.dates, dates.time.base[row] == RowTimes.none else { continue }
        dates.time.base[row] = times[row] + nearer
      }
    }
  }
}

extension ValueColumn {
  /// Sets a value, which the column's type can represent.
  fileprivate func set(_ row: Int, _ value: Double) {
    let cell: CellValue = pixelType.isFloatingPoint ? .float64(value) : .signed(Int64(value))
    cell.store(as: pixelType, at: bytes + row * pixelType.byteCount)
  }

  /// Sets a 64-bit integer.
  fileprivate func set(_ row: Int, key: UInt64) {
    let bits = pixelType == .int64 ? key ^ 1 << 63 : key
    (bytes + row * 8).storeBytes(of: bits, as: UInt64.self)
  }
}

extension CellValue {
  /// For a 64-bit type, which must be able to represent this value, an integer that sorts in the same
  /// order as the values of the type; 0 for other types.
  func orderKey(of type: PixelType) -> UInt64 {
    guard type == .int64 || type == .uint64 else { return 0 }
    let bits: UInt64
    switch self {
    case .signed(let value): bits = UInt64(bitPattern: value)
    case .unsigned(let value): bits = value
    default: return 0
    }
    return type == .int64 ? bits ^ 1 << 63 : bits
  }
}
