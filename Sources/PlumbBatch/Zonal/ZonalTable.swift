import PlumbCore
import PlumbSources

/// Collects the rows of areas with their statistics in memory.
package final class ZonalTable: ZonalTarget {
  /// The columns of the areas, followed by the added columns.
  package private(set) var fields: [Field] = []
  /// The values of each row.
  package private(set) var rows: [[FieldValue]] = []
  package let ignoresCase = false
  package let isColumnar = false
  package let hasShapes = false

  package init() {}

  package func start(
    _ input: AreaInput, _ fields: [Field], _ options: ZonalOptions
  ) throws {
    self.fields = input.fields + fields
  }

  package func write(_ batch: FeatureInput.Batch, _ rows: ZonalRows) throws {
    for (index, feature) in batch.features.enumerated() {
      for row in rows.rows(of: index) { self.rows.append(feature.attributes + row) }
    }
  }

  package func finish() throws -> [String] { [] }

  package func named(_ error: any Error) -> any Error { error }
}
