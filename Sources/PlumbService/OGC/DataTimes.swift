import Plumb
import PlumbCore

/// The dates that a query selects from the dates of a raster.
struct DataTimes {
  /// The indices of the dates, ascending; empty for a layer without dates.
  let indices: [Int]
  private let dates: RasterDates?

  /// - Parameter period: the requested time; nil for the last date.
  /// - Throws: if the layer has dates, but none of them is in the period.
  init(_ period: OGCPeriod?, of image: ImageService) throws {
    dates = try image.dates()
    guard let dates else {
      // A raster without dates has the same values at all times.
      indices = []
      return
    }
    guard let period else {
      indices = [dates.dates.count - 1]
      return
    }
    indices = dates.indices(fromMilliseconds: period.first, to: period.last)
    guard !indices.isEmpty else {
      throw ServiceError.notFound(
        "'datetime': there is no data at this time (available: \(dates.summary))")
    }
  }

  /// The choice that selects the last of these dates.
  var choice: ImageChoice {
    var choice = ImageChoice()
    choice.date = indices.last
    return choice
  }

  /// The dates as text.
  var texts: [String] { dates.map { dates in indices.map { dates.texts[$0] } } ?? [] }

  /// Adds the values of the other dates to samples that contain the values of the last date.
  ///
  /// - Parameter limit: the maximum number of values.
  /// - Throws: if cells cannot be read.
  func complete(
    _ samples: inout DataSamples, of image: ImageService, _ reference: SpatialReference, limit: Int
  ) throws {
    guard !indices.isEmpty else { return }
    let (count, isOver) = samples.points.count.multipliedReportingOverflow(by: indices.count)
    guard !isOver, count <= limit else {
      throw ServiceError(
        "more than \(limit) values of points and dates in one request; send a shorter interval",
        kind: .limit)
    }
    var answers: [RasterAnswer] = []
    if indices.count > 1 {
      answers = try image.values(at: samples.points, reference, dates: Array(indices.dropLast()))
    }
    answers.append(samples.values)
    samples.dates = zip(texts, answers).map { (text: $0, values: $1) }
  }
}
