import Plumb

/// The parameter `time` of an image service, which selects dates of a layer with dates.
struct ImageTimes {
  /// The indices of the dates in the requested time, ascending; nil for a layer without dates, or
  /// if no time is requested.
  let indices: [Int]?

  /// - Throws: for a time that cannot be read, and if the layer has no dates.
  init(_ parameters: Parameters, of service: ImageService) throws {
    guard let extent = try parameters.time() else {
      indices = nil
      return
    }
    guard let dates = try service.dates() else {
      throw ServiceError(
        "'time' parameter is not supported: the raster has no dates; leave it out")
    }
    indices = dates.indices(fromMilliseconds: extent.first, to: extent.last)
  }

  /// A single date.
  init(_ index: Int) { indices = [index] }

  /// Sets the date of a choice to the last date in the requested time.
  func apply(to choice: inout ImageChoice) {
    choice.date = indices?.last
    choice.isEmpty = indices?.isEmpty ?? false
  }
}
