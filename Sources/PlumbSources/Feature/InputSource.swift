import PlumbCore

/// A source of features that is read from start to end in batches.
package protocol InputSource: FeatureSource {
  /// Warnings about differences from the source, one line each; complete at the end.
  var warnings: [MessageTemplate] { get }
  /// The features that have been read without their shapes so far.
  var faults: FeatureFaults { get }

  /// Returns the next features, with their text if the source keeps the text; nil at the end.
  func nextBatch(limit: Int) throws -> FeatureInput.Batch?
}

extension InputSource {
  package var warnings: [MessageTemplate] { [] }
  package var faults: FeatureFaults { FeatureFaults() }

  package func nextBatch(limit: Int) throws -> FeatureInput.Batch? {
    try next(limit: limit).map { FeatureInput.Batch(features: $0) }
  }
}

extension FeatureFile: InputSource {}

extension ColumnarFeatureSource: InputSource {
  package func nextBatch(limit: Int) throws -> FeatureInput.Batch? {
    try nextRows(limit: limit).map {
      FeatureInput.Batch(features: $0.features, rows: keepsRows ? $0.rows : nil)
    }
  }
}
