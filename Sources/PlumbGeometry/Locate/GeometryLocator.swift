import PlumbCore

/// Finds which of many geometries of any kind contain a point, with exact arithmetic, or are within
/// a search radius of the point.
///
/// The locator keeps a copy of the coordinates. Items are the indices of the geometries in the
/// list; nil and empty geometries are never found. All coordinates are in one CRS, and edges are
/// straight lines in this CRS. Areas follow `PolygonLocator`'s rules.
///
/// ```swift
/// let locator = GeometryLocator(features.map(\.geometry), period: 360)
/// let here = locator.items(at: SIMD2(18.42, -33.92))
/// ```
public struct GeometryLocator: Sendable {
  /// The number of geometries, including nil geometries.
  public let count: Int
  /// The period of x; nil if there is none.
  public let period: Double?
  /// The items with a coordinate that is not finite, ascending; they are never found.
  public let unusable: [Int]
  /// The extent of all geometries, as (xMin, yMin, −xMax, −yMax).
  let box: SIMD4<Double>

  let areas: AreaParts
  let lines: LineParts
  let points: PointParts
  /// The kind and parts of each item.
  let slots: TrivialBuffer<Slot>

  /// The kind of an item, and the range of its elements among the parts of this kind.
  struct Slot {
    var kind: Kind
    var first: Int32
    var count: Int32
  }

  enum Kind: UInt8, BitwiseCopyable {
    case nothing, unusable, points, line, area
  }

  /// One area, line or point, by its index among the parts of this kind.
  enum Part {
    case point(Int)
    case line(Int)
    case area(Int)
  }

  /// - Parameters:
  ///   - geometries: the items; nil geometries are never found.
  ///   - period: the period of x for a geographic CRS, such as 360 for degrees; nil for other CRSs.
  ///     Points whose x differs by a whole number of periods are the same point.
  ///   - workers: the threads that share the work.
  public init(
    _ geometries: [Geometry?], period: Double? = nil, workers: Workers = Workers()
  ) {
    count = geometries.count
    self.period = period.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    let slots = TrivialBuffer<Slot>(count: geometries.count)
    workers.runRanges(geometries.count, grain: 4096) { _, range in
      for item in range {
        let kind = geometries[item]?.locatorKind ?? .nothing
        slots.base[item] = Slot(kind: kind, first: 0, count: 0)
      }
    }
    var sorted = SortedGeometries()
    for item in geometries.indices { sorted.add(geometries[item], item, &slots.base[item]) }
    sorted.spreadIfAlone(geometries, slots)
    self.slots = slots
    unusable = sorted.unusable
    areas = AreaParts(sorted.polygons, items: sorted.polygonItems, workers)
    lines = LineParts(sorted.paths, items: sorted.pathItems, workers)
    points = PointParts(sorted.points, items: sorted.pointItems, workers)
    box = pointwiseMin(areas.box, pointwiseMin(lines.box, points.box))
  }

  /// The extent of all usable geometries; empty if there are none.
  public var envelope: Envelope {
    guard !SpatialIndex.isEmpty(box) else { return .empty() }
    return Envelope(xMin: box.x, yMin: box.y, xMax: -box.z, yMax: -box.w)
  }
}

/// The geometries of a list by kind.
private struct SortedGeometries {
  var unusable: [Int] = []
  var polygons: [Polygon] = []
  /// The item of each polygon; nil if polygon and item indices are the same.
  var polygonItems: [Int32]? = []
  /// The lines, with each part as an unclosed ring.
  var paths: [Polygon] = []
  var pathItems: [Int32]? = []
  var points: [SIMD2<Double>] = []
  var pointItems: [Int32] = []

  private static let onePart = [1]

  mutating func add(_ geometry: Geometry?, _ item: Int, _ slot: inout GeometryLocator.Slot) {
    let number = Int32(truncatingIfNeeded: item)
    func assign(_ first: Int, _ count: Int = 1) {
      (slot.first, slot.count) = (
        Int32(truncatingIfNeeded: first), Int32(truncatingIfNeeded: count)
      )
    }
    guard let geometry, slot.kind != .nothing else { return }
    if slot.kind == .unusable {
      unusable.append(item)
      return
    }
    switch geometry {
    case .point(let point):
      assign(points.count)
      points.append(point.xy)
      pointItems.append(number)
    case .multipoint(let multipoint):
      assign(points.count, multipoint.vertices.count)
      points.append(contentsOf: multipoint.vertices.xy)
      pointItems.append(contentsOf: repeatElement(number, count: multipoint.vertices.count))
    case .polyline(let line):
      assign(paths.count)
      let parts = line.partEnds
      paths.append(
        Polygon(
          canonical: line.vertices, ringEnds: parts,
          partEnds: parts.count == 1 ? Self.onePart : Array(1..<parts.count + 1),
          spatialReference: nil))
      pathItems?.append(number)
    case .polygon(let polygon):
      assign(polygons.count)
      polygons.append(polygon)
      polygonItems?.append(number)
    case .envelope(let envelope):
      assign(polygons.count)
      polygons.append(envelope.polygon)
      polygonItems?.append(number)
    }
  }

  /// If all elements are areas, or all are lines, inserts an empty element for each item without an
  /// element. The indices of elements and items are then the same, so that the results of a batch
  /// need no conversion.
  mutating func spreadIfAlone(
    _ geometries: [Geometry?], _ slots: TrivialBuffer<GeometryLocator.Slot>
  ) {
    guard points.isEmpty, polygons.isEmpty != paths.isEmpty else { return }
    var next = 0
    let found = polygons.isEmpty ? paths : polygons
    var all: [Polygon] = []
    if found.count == geometries.count {
      all = found
    } else {
      all.reserveCapacity(geometries.count)
      for item in geometries.indices {
        if slots.base[item].count > 0 {
          all.append(found[next])
          next += 1
          slots.base[item].first = Int32(truncatingIfNeeded: item)
        } else {
          all.append(.empty())
        }
      }
    }
    if polygons.isEmpty {
      (paths, pathItems) = (all, nil)
    } else {
      (polygons, polygonItems) = (all, nil)
    }
  }
}

extension Geometry {
  fileprivate var locatorKind: GeometryLocator.Kind {
    func kind(_ vertices: VertexList, _ kind: GeometryLocator.Kind) -> GeometryLocator.Kind {
      guard !vertices.isEmpty else { return .nothing }
      // The sum is 0 unless a coordinate is not finite.
      var zero = SIMD2<Double>(0, 0)
      for location in vertices.xy { zero += location * 0 }
      return zero == SIMD2(0, 0) ? kind : .unusable
    }
    switch self {
    case .point(let point):
      if point.isEmpty { return .nothing }
      return point.x.isFinite && point.y.isFinite ? .points : .unusable
    case .multipoint(let multipoint): return kind(multipoint.vertices, .points)
    case .polyline(let line): return kind(line.vertices, .line)
    case .polygon(let polygon): return kind(polygon.vertices, .area)
    case .envelope(let envelope):
      if envelope.isEmpty { return .nothing }
      let sides = [envelope.xMin, envelope.yMin, envelope.xMax, envelope.yMax]
      return sides.allSatisfy(\.isFinite) ? .area : .unusable
    }
  }
}
