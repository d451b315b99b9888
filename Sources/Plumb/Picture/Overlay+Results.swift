import PlumbCore
import PlumbDocuments
import PlumbDrawing
import PlumbFeeds
import PlumbFormats
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO
import PlumbLayers
import PlumbNetwork
import PlumbSources

/// Overlays of results, which are shapes with symbols.
extension Overlay {
  /// Creates an overlay of query points, the outlines of cells, and the features found.
  ///
  /// - Parameters:
  ///   - results: the results of each point.
  ///   - reference: the CRS of the points and of the shapes in the results.
  public init(
    identified results: [[IdentifyLayerResult]], at points: [SIMD2<Double>],
    reference: SpatialReference?
  ) {
    self.init("Identified", reference: reference)
    for point in points {
      add(.point(Point(x: point.x, y: point.y)), as: "Requested point") { _ in ResultSymbols.asked }
    }
    for result in results.joined() { add(result) }
  }

  /// Returns the distance around a point that a picture shows, in metres. It covers at least a few
  /// cells, and somewhat more than the distance to the farthest feature.
  ///
  /// - Parameter reference: the CRS of the shapes in the results.
  public static func reach(
    of results: some Sequence<IdentifyLayerResult>, in reference: SpatialReference?
  ) -> Double {
    var reach = 100.0
    for result in results {
      for element in result.geoElements {
        if element.distance.isFinite { reach = max(reach, element.distance * 1.4) }
        guard case .cell(let cell) = element, let corner = cell.footprint.first else { continue }
        let sides = cell.footprint.map { abs($0.x - corner.x) + abs($0.y - corner.y) }
        reach = max(reach, (sides.max() ?? 0) * (reference?.metresPerUnit ?? 1) * 3)
      }
      reach = max(reach, Self.reach(of: result.sublayerResults, in: reference))
    }
    return reach
  }

  // The recursion is as deep as the nesting of layers, which has a limit.
  private mutating func add(_ result: IdentifyLayerResult) {
    for element in result.geoElements {
      switch element {
      case .cell(let cell):
        let ring = VertexList(cell.footprint.map { SIMD2($0.x, $0.y) })
        add(.polygon(Polygon(ring, ringEnds: [ring.count])), as: "Raster cell") { _ in
          ResultSymbols.cell
        }
      case .feature(let feature):
        if let geometry = feature.feature.geometry { add(identified: geometry) }
      }
    }
    for result in result.sublayerResults { add(result) }
  }

  mutating func add(identified geometry: Geometry) {
    let label =
      switch geometry {
      case .point, .multipoint: "Point found"
      case .polyline: "Line found"
      case .polygon, .envelope: "Area found"
      }
    add(geometry, as: label) { _ in ResultSymbols.identified(geometry) }
  }

  /// Adds features around which buffers are drawn.
  public mutating func add(features: [Feature]) {
    for geometry in features.compactMap(\.geometry) where !geometry.isEmpty {
      add(geometry, as: "") { _ in ResultSymbols.input(geometry) }
    }
  }

  /// Adds buffers.
  public mutating func add(areas: [Polygon?]) {
    for area in areas.compactMap({ $0 }) where !area.isEmpty {
      add(.polygon(area), as: "") { _ in
        ResultSymbols.kind(ResultSymbols.color(0), of: .polygon(area))
      }
    }
  }

  /// Creates an overlay of a network's pipes, to draw under a trace.
  public init(pipesOf opened: OpenedNetwork) {
    self.init("Network", reference: opened.spatialReference)
    let network = opened.network
    for element in network.elements where network.isEdge(element) {
      let chain = Array(network.vertices(of: element))
      if chain.count > 1 {
        add(.polyline(Polyline(VertexList(chain))), as: "") { _ in .line(ResultSymbols.network) }
      }
    }
  }

  /// Creates an overlay of the elements of a trace by asset type. For an isolation trace, the
  /// overlay also shows the valves by the action that they require.
  ///
  /// - Parameter starts: the starts of the trace.
  public init(
    _ result: UtilityTraceResult, from starts: [TraceLocation] = [], in opened: OpenedNetwork
  ) throws {
    self.init("Trace", reference: opened.spatialReference)
    for start in starts {
      if let shape = try opened.network.shape(of: opened.network.traced(start)) {
        add(shape, as: "Start") { _ in ResultSymbols.start }
      }
    }
    try result.forEachFeature(in: opened.network) { traced, facts in
      guard let shape = try opened.network.shape(of: traced) else { return }
      var role = ""
      for case ("role", .text(let text)) in facts { role = text }
      let known = opened.network.describe(traced.element)
      let type = known.assetTypeName
      add(shape, role: role, type: type.isEmpty ? known.sourceName : type)
    }
  }

  mutating func add(_ shape: Geometry, role: String, type: String) {
    if let (label, color) = ResultSymbols.roles[role] {
      add(shape, as: label) { _ in ResultSymbols.role(color, of: shape) }
    } else {
      add(shape, as: type) { ResultSymbols.kind(ResultSymbols.color($0), of: shape) }
    }
  }

  /// Creates an overlay of fences with their buffers. The fences of rasters have no shape.
  public init(_ fences: FenceSet, named name: String) {
    self.init(name, reference: .wgs84)
    for index in fences.fences.indices {
      if let shape = try? fences.geometry(of: index) {
        add(shape, as: "") { _ in ResultSymbols.fence }
      }
    }
  }

  /// Adds an event at a longitude and a latitude.
  ///
  /// - Parameter type: the type of the event, such as `entered`.
  public mutating func add(event type: String, at point: SIMD2<Double>) {
    guard let (label, symbol) = ResultSymbols.events[type] else { return }
    add(.point(Point(x: point.x, y: point.y)), as: label) { _ in .marker(symbol) }
  }
}

/// The tracks of a feed's entities, as lines.
public struct TrackLines {
  private var lines: [Int32: [SIMD2<Double>]] = [:]
  /// The entities in the order of their first locations.
  private var order: [Int32] = []

  /// Creates tracks without locations.
  public init() {}

  /// Adds locations in the feed's order.
  public mutating func add(_ batch: LocationBatch) {
    for row in 0..<batch.count {
      let entity = batch.entity[row]
      if lines[entity] == nil { order.append(entity) }
      lines[entity, default: []].append(SIMD2(batch.x[row], batch.y[row]))
    }
  }

  /// The tracks as lines. The track of an entity with a single location is a point.
  public var overlay: Overlay {
    var overlay = Overlay("Track", reference: .wgs84)
    for entity in order {
      guard let points = lines[entity] else { continue }
      if points.count == 1 {
        overlay.add(.point(Point(x: points[0].x, y: points[0].y)), as: "Seen once") { _ in
          ResultSymbols.input(.point(Point(x: points[0].x, y: points[0].y)))
        }
      } else {
        overlay.add(.polyline(Polyline(VertexList(points))), as: "") { _ in
          .line(ResultSymbols.track)
        }
      }
    }
    return overlay
  }
}
