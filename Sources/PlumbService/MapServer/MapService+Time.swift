import Plumb

extension MapService {
  /// Returns the feature layers that the parameter `time` filters, each with the index of its date
  /// field. The parameter also selects the dates of raster layers with dates.
  ///
  /// - Throws: if no layer has a date field or dates, because the request would not be filtered.
  func timeFields() throws -> [(layer: ServiceLayer, field: Int)] {
    var found: [(layer: ServiceLayer, field: Int)] = []
    for layer in layers where layer.isFeatures {
      try WorkCancellation.checkCurrent()
      // A layer that cannot be read is not drawn. The drawing reports its failure.
      guard let rows = try? rows(of: layer), let field = rows.timeField else { continue }
      found.append((layer, field))
    }
    guard !found.isEmpty || images.contains(where: { (try? $0.dates()) != nil }) else {
      throw ServiceError(
        "'time' parameter is not supported: no layer has exactly one field of dates; leave it out")
    }
    return found
  }
}
