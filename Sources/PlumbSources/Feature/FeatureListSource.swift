import PlumbCore

/// Features in memory.
package final class FeatureListSource: InputSource {
  package let fields: [Field]
  package let spatialReference: SpatialReference?
  private let features: [Feature]
  private var position = 0

  package init(_ features: [Feature], fields: [Field] = [], reference: SpatialReference?) {
    (self.features, self.fields, spatialReference) = (features, fields, reference)
  }

  package var featureCount: Int? { features.count }

  package func next(limit: Int) throws -> [Feature]? {
    let range = position..<min(features.count, position + max(1, limit))
    guard !range.isEmpty else { return nil }
    position = range.upperBound
    return Array(features[range])
  }
}
