import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbSources

/// The rows of delimited text as a table of points, for CSV layers.
///
/// The file is read each time features are requested; a layer caches the features.
package final class PointFileTable: FeatureTable {
  /// Returns the path and the reading options; throws if the file may not be read.
  private let locate: () throws -> FeatureInput.Options
  private let failure: (any Error) -> any Error
  private var input: FeatureInput?

  package init(
    locate: @escaping () throws -> FeatureInput.Options,
    failure: @escaping (any Error) -> any Error
  ) {
    self.locate = locate
    self.failure = failure
  }

  package func open() throws {
    do {
      input = try FeatureInput.delimited(try locate())
    } catch {
      throw failure(error)
    }
  }

  package var fields: [Field] { input?.source.fields ?? [] }
  package var spatialReference: SpatialReference? { input?.source.spatialReference }
  package var featureCount: Int? { nil }
  package var hasSpatialIndex: Bool { false }
  package var hasSymbols: Bool { false }
  package var extent: Envelope? { nil }
  package var files: [String] { input?.files ?? [] }

  package func features(in windows: [Envelope]?) throws -> [TableFeature] {
    do {
      let source = try FeatureInput.delimited(try locate()).source
      var rows: [TableFeature] = []
      while let batch = try source.next(limit: 4096) { rows += batch.map { TableFeature($0) } }
      return rows
    } catch {
      throw failure(error)
    }
  }
}
