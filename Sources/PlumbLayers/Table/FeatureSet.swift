import PlumbCore
import PlumbGeometry

/// The features of a layer, indexed for identification and with their symbols.
public final class FeatureSet: Sendable {
  /// The table's fields, in the table's order.
  public let fields: [Field]
  /// The features in the table's order: the last is drawn on top.
  public let features: [Feature]
  /// Finds features by point; items are indices in `features`.
  public let locator: GeometryLocator
  /// The CRS of the shapes; nil if unknown.
  public let spatialReference: SpatialReference?
  /// Each feature's index among all features read, from 0; nil if no feature was omitted.
  package let rowNumbers: [Int]?
  /// The extent of each feature's symbol beyond its shape, in pixels; empty if all are 0.
  let extents: [Double]
  let largestExtent: Double
  private let longEdges: LongEdges
  /// The distinct symbols of the features.
  package let palette: [Symbol]
  /// For each feature, the index of its symbol in `palette`; -1 for none.
  package let symbolIndices: [Int32]

  init(
    _ rows: [TableFeature], of table: any FeatureTable, numbers: [Int]? = nil,
    symbol: ([FieldValue]) -> Symbol?
  ) {
    rowNumbers = numbers
    fields = table.fields
    spatialReference = table.spatialReference
    features = rows.map(\.feature)
    locator = GeometryLocator(
      features.map(\.geometry), period: table.spatialReference?.period)
    var longEdges = LongEdges(in: table.spatialReference)
    for (index, feature) in features.enumerated() {
      longEdges.add(
        feature.geometry, "feature \(feature.id ?? Int64(numbers?[index] ?? index) + 1)")
    }
    self.longEdges = longEdges
    var palette: [Symbol] = []
    var known: [Symbol: Int32] = [:]
    var last: Int32 = -1
    symbolIndices = rows.map { row in
      guard let rowSymbol = row.symbol ?? symbol(row.feature.attributes) else { return -1 }
      // Adjacent features usually have the same symbol.
      if last >= 0, palette[Int(last)] == rowSymbol { return last }
      last = known[rowSymbol] ?? Int32(palette.count)
      if Int(last) == palette.count {
        palette.append(rowSymbol)
        known[rowSymbol] = last
      }
      return last
    }
    self.palette = palette
    let symbolExtents = palette.map(\.extent)
    largestExtent = symbolExtents.max() ?? 0
    extents = largestExtent > 0 ? symbolIndices.map { $0 < 0 ? 0 : symbolExtents[Int($0)] } : []
  }

  /// A one-line warning about features that cannot be found, and about areas with edges that go the long way
  /// around the Earth; nil if there are none.
  public var warning: String? {
    let lines = [unusable, longEdges.warning].compactMap { $0 }
    return lines.isEmpty ? nil : lines.joined(separator: "; ")
  }

  private var unusable: String? {
    guard let first = locator.unusable.first else { return nil }
    let count = locator.unusable.count
    return "\(count) \(count == 1 ? "feature has" : "features have") coordinates that are not "
      + "finite numbers and cannot be found: number \(first + 1)" + (count > 1 ? " and others" : "")
  }
}
