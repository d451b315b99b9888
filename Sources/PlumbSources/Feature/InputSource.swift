import PlumbCore

/// A file of features, or what stands for one, that a batch reads from start to end.
package protocol InputSource: FeatureSource {
  /// What could not be given as it is, a line each; whole at the end.
  var warnings: [Wording] { get }
  /// Features that were read without their shape so far.
  var faults: FeatureFaults { get }

  /// The next features, with their text where the source keeps it; nil at the end.
  func nextBatch(limit: Int) throws -> FeatureInput.Batch?
}

extension InputSource {
  package var warnings: [Wording] { [] }
  package var faults: FeatureFaults { FeatureFaults() }

  package func nextBatch(limit: Int) throws -> FeatureInput.Batch? {
    try next(limit: limit).map { FeatureInput.Batch(features: $0) }
  }
}

extension FeatureFile: InputSource {}
