import PlumbCore
import PlumbGeometry
import PlumbRaster

@testable import PlumbLayers

// The parts of the maps in this folder's tests.

/// An area with straight sides along x and y.
func square(_ xMin: Double, _ yMin: Double, _ xMax: Double, _ yMax: Double) -> Geometry {
  .polygon(
    Polygon(
      VertexList([
        SIMD2(xMin, yMin), SIMD2(xMin, yMax), SIMD2(xMax, yMax), SIMD2(xMax, yMin),
      ])))
}

func line(_ vertices: SIMD2<Double>...) -> Geometry { .polyline(Polyline(VertexList(vertices))) }

func point(_ x: Double, _ y: Double) -> Geometry { .point(Point(x: x, y: y)) }

/// A layer in memory whose features are numbered from 0 in the field `n`.
func featureLayer(
  _ id: String, _ geometries: [Geometry?] = [square(0, 0, 10, 10)],
  reference: SpatialReference? = nil, isVisible: Bool = true, scales: ScaleRange = ScaleRange(),
  renderer: Renderer? = nil, popup: PopupDefinition? = nil, condition: String? = nil
) -> FeatureLayer {
  let features = geometries.enumerated().map { index, geometry in
    Feature(id: Int64(index), attributes: [.integer(Int64(index))], geometry: geometry)
  }
  return FeatureLayer(
    LayerProperties(id: id, isVisible: isVisible, scaleRange: scales),
    table: MemoryFeatureTable(
      fields: [Field(name: "n", kind: .integer)], features: features, spatialReference: reference),
    definitionExpression: condition, renderer: renderer, popup: popup)
}

/// A raster of cells of one unit from 0, 0, with the first row at the top and ascending values from
/// 0.
func rasterLayer(
  _ id: String, width: Int = 10, height: Int = 10, reference: String? = nil,
  popup: PopupDefinition? = nil, isBroken: Bool = false
) throws -> RasterLayer {
  let source = CountingRaster(width: width, height: height, reference: reference, isBroken)
  return RasterLayer(
    LayerProperties(id: id), raster: try Raster(name: "file of \(id)", members: [source]),
    popup: popup)
}

final class CountingRaster: TileSource {
  let path = "memory"
  let profile: RasterProfile
  var route: String { "memory" }
  var files: [String] { [path] }
  /// Whether every read fails.
  let isBroken: Bool

  init(width: Int, height: Int, reference: String?, _ isBroken: Bool) {
    self.isBroken = isBroken
    let transform =
      GridTransform(coefficients: [0, 1, 0, Double(height), 0, -1]) ?? .identity
    profile = RasterProfile(
      grid: TileGrid(width: width, height: height, tileWidth: 4, tileHeight: 3),
      mapping: .affine(transform), reference: reference,
      bands: [Band(pixelType: .float32, validity: .all)], isInterleaved: false)
  }

  func makeReader() throws(RasterError) -> any TileReader { Reader(source: self) }

  private final class Reader: TileReader {
    let source: CountingRaster
    init(source: CountingRaster) { self.source = source }

    func readTile(
      plane: Int, tile: Int, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RasterError) {
      if source.isBroken { throw RasterError("the tile is torn") }
      let grid = source.profile.grid
      let window = grid.window(tile: tile)
      let values = buffer.bindMemory(to: Float.self)
      // Padding whose use would change the results.
      values.initialize(repeating: 1e30)
      for row in 0..<window.height {
        for column in 0..<window.width {
          let cell = (window.row + row) * grid.width + window.column + column
          values[row * grid.tileWidth + column] = Float(cell) + 0.5
        }
      }
    }
  }
}

/// A table that fails when opened or when read.
final class BrokenTable: FeatureTable {
  enum Step { case opening, reading }
  let step: Step
  let spatialReference: SpatialReference?
  private(set) var reads = 0

  init(_ step: Step, reference: SpatialReference? = .wgs84) {
    (self.step, spatialReference) = (step, reference)
  }

  var fields: [Field] { [] }
  var featureCount: Int? { nil }
  var hasSpatialIndex: Bool { false }
  var extent: Envelope? { nil }
  var files: [String] { [] }

  func open() throws {
    if step == .opening { throw GeometryError("the table is torn") }
  }

  func features(in windows: [Envelope]?) throws -> [TableFeature] {
    reads += 1
    throw GeometryError("the rows are torn")
  }
}

extension IdentifyLayerResult {
  var id: String { layerContent.id }

  /// The values of the field `n` of its elements, in their order.
  var numbers: [Int64] {
    geoElements.compactMap {
      guard case .feature(let feature) = $0,
        case .integer(let n)? = feature.feature.attributes.first
      else { return nil }
      return n
    }
  }

  /// The ids of all results and sublayer results, in reading order.
  var tree: String {
    sublayerResults.isEmpty
      ? id : id + "(" + sublayerResults.map(\.tree).joined(separator: " ") + ")"
  }
}

extension [IdentifyLayerResult] {
  var tree: String { map(\.tree).joined(separator: " ") }
}

extension Map {
  /// Identifies at a point in the CRS of the map.
  func identified(
    _ x: Double = 5, _ y: Double = 5, _ options: IdentifyOptions = IdentifyOptions()
  ) throws -> [IdentifyLayerResult] {
    try identifyLayers(at: Point(x: x, y: y), options)
  }
}
