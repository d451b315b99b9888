import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// A layer that reads windows has the same results as a layer that reads all its features.
@Suite struct WindowTests {
  /// Returns the features whose boxes intersect a window, and counts its calls.
  private final class IndexedTable: FeatureTable {
    let rows: [TableFeature]
    let spatialReference: SpatialReference? = .wgs84
    let hasSymbols: Bool
    private let hasExtent: Bool
    private(set) var windowReads = 0
    private(set) var fullReads = 0

    init(_ rows: [TableFeature], hasSymbols: Bool = false, hasExtent: Bool = true) {
      (self.rows, self.hasSymbols, self.hasExtent) = (rows, hasSymbols, hasExtent)
    }

    var fields: [Field] { [] }
    var featureCount: Int? { rows.count }
    var hasSpatialIndex: Bool { true }
    var files: [String] { [] }
    var extent: Envelope? {
      guard hasExtent else { return nil }
      let boxes = rows.map { Self.box($0) }
      return Envelope(
        xMin: boxes.map(\.xMin).min() ?? .nan, yMin: boxes.map(\.yMin).min() ?? .nan,
        xMax: boxes.map(\.xMax).max() ?? .nan, yMax: boxes.map(\.yMax).max() ?? .nan)
    }

    func open() {}

    func features(in windows: [Envelope]?) -> [TableFeature] {
      guard let windows else {
        fullReads += 1
        return rows
      }
      windowReads += 1
      return rows.filter { row in
        let box = Self.box(row)
        return windows.contains {
          $0.xMin <= box.xMax && box.xMin <= $0.xMax && $0.yMin <= box.yMax && box.yMin <= $0.yMax
        }
      }
    }

    private static func box(_ row: TableFeature) -> Envelope {
      let points: [SIMD2<Double>] =
        switch row.feature.geometry {
        case .polygon(let area): area.vertices.xy
        case .point(let point): [SIMD2(point.x, point.y)]
        default: []
        }
      let (x, y) = (points.map(\.x), points.map(\.y))
      return Envelope(
        xMin: x.min() ?? .nan, yMin: y.min() ?? .nan, xMax: x.max() ?? .nan, yMax: y.max() ?? .nan)
    }
  }

  private func row(_ geometry: Geometry, symbol: Symbol? = nil) -> TableFeature {
    TableFeature(Feature(geometry: geometry), symbol: symbol)
  }

  private func counts(_ table: IndexedTable, _ x: [Double], scale: Double? = nil) throws -> [Int] {
    let options = IdentifyOptions(scale: scale, maximumResultsPerLayer: nil)
    let identifier = try MapIdentifier(
      Map(layers: [FeatureLayer(LayerProperties(id: "a"), table: table)]), options: options)
    return x.map { identifier.identify(x: $0, y: 5).first?.foundCount ?? 0 }
  }

  @Test(arguments: [true, false])
  func `windows any number of turns away`(hasExtent: Bool) throws {
    let rows = [square(0, 0, 10, 10), square(175, 0, 185, 10), square(715, 0, 725, 10)].map {
      row($0)
    }
    let table = IndexedTable(rows, hasExtent: hasExtent)
    let points: [Double] = [5, 5 - 1080, 5 + 720, -355, 180, -180, 900, -2700, 1, 361, 60]
    #expect(try counts(table, points) == [2, 2, 2, 2, 1, 1, 1, 1, 2, 2, 0])
    #expect((table.windowReads, table.fullReads) == (hasExtent ? (11, 0) : (0, 1)))
  }

  @Test func `symbols of single features`() throws {
    let rows = [row(point(0, 5)), row(point(2, 5), symbol: .marker(size: 41))]
    let scale = 111_319.490793 * 96 / 0.0254 / 10
    for hasSymbols in [true, false] {
      let table = IndexedTable(rows, hasSymbols: hasSymbols)
      // Without a scale, symbols have no size.
      #expect(try counts(table, [0, 0.5]) == [1, 0])
      #expect(table.windowReads == 2)
      // A pixel is a tenth of a degree: 20.5 pixels extend from 2 to -0.05.
      guard hasSymbols else { continue }
      #expect(try counts(table, [0, 0.5, 3.9, 4.1], scale: scale) == [2, 1, 1, 0])
      #expect((table.windowReads, table.fullReads) == (2, 1))
    }
  }
}
