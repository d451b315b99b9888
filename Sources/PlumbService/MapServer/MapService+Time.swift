import Plumb

extension MapService {
  /// Returns the feature layers that `time` filters, each with the index of its date field.
  ///
  /// - Throws: if there are none, because the request would not be filtered at all.
  func timeFields() throws -> [(layer: ServiceLayer, field: Int)] {
    var found: [(layer: ServiceLayer, field: Int)] = []
    for layer in layers where layer.isFeatures {
      try WorkCancellation.checkCurrent()
      // A layer that cannot be read draws nothing and is reported elsewhere.
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
