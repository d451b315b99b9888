import Plumb

extension MapService {
  /// The layers of features that `time` filters, each with the index of its field of dates.
  ///
  /// - Throws: where there is none, so that nothing would be filtered.
  func timeFields() throws -> [(layer: ServiceLayer, field: Int)] {
    var found: [(layer: ServiceLayer, field: Int)] = []
    for layer in layers where layer.isFeatures {
      try WorkCancellation.checkCurrent()
      // One that cannot be read shows nothing, and says so.
      guard let rows = try? rows(of: layer), let field = rows.timeField else { continue }
      found.append((layer, field))
    }
    guard !found.isEmpty else {
      throw ServiceError(
        "'time' parameter is not supported: no layer has exactly one field of dates; leave it out")
    }
    return found
  }
}
