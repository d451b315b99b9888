import Plumb
import PlumbVerbs

extension ArrowColumn {
  /// A column of areas, written by all workers. A missing area is null.
  static func areas(
    _ name: String, _ areas: [Polygon?], as layout: Buffer.Layout, workers: Workers
  ) throws -> ArrowColumn {
    switch layout {
    case .wkb: try wkb(name, areas, workers)
    case .geoarrow: try multipolygons(name, areas, workers)
    }
  }

  private static func wkb(
    _ name: String, _ areas: [Polygon?], _ workers: Workers
  ) throws -> ArrowColumn {
    var column = try bytes(
      name, "Z", count: areas.count, workers: workers,
      size: { row in try areas[row].map { try WKBGeometry.byteCount(of: .polygon($0)) } }
    ) { row, start in
      if let area = areas[row] { WKBGeometry.write(.polygon(area), to: start) }
    }
    column.metadata = [("ARROW:extension:name", "geoarrow.wkb")]
    return column
  }

  /// A column of lists of polygons, which are lists of rings, which are lists of vertices. The
  /// rings have the same order as in WKB.
  private static func multipolygons(
    _ name: String, _ areas: [Polygon?], _ workers: Workers
  ) throws -> ArrowColumn {
    func starts(
      _ size: @Sendable (Polygon) -> Int
    ) throws -> (offsets: ArrowBuffer, validity: ArrowBuffer, nullCount: Int) {
      try offsets(count: areas.count, workers: workers) { row in areas[row].map(size) }
    }
    // The indices of the first part, ring and vertex of each row.
    let parts = try starts { $0.partEnds.count }
    let rings = try starts { $0.ringEnds.count }.offsets
    let vertices = try starts { $0.vertices.count }.offsets
    func total(_ starts: ArrowBuffer) -> Int { Int(starts.elements(Int64.self)[areas.count]) }
    let (partCount, ringCount, count) = (total(parts.offsets), total(rings), total(vertices))
    let partRings = try ArrowBuffer(byteCount: (partCount + 1) * MemoryLayout<Int64>.stride)
    let ringVertices = try ArrowBuffer(byteCount: (ringCount + 1) * MemoryLayout<Int64>.stride)
    let xy = try ArrowBuffer(
      byteCount: count * MemoryLayout<SIMD2<Double>>.stride, zeroed: false)
    workers.runRanges(areas.count, grain: writeGrain) { _, range in
      for row in range {
        guard let area = areas[row] else { continue }
        let firstRing = rings.elements(Int64.self)[row]
        let firstPart = Int(parts.offsets.elements(Int64.self)[row])
        let partEnds = partRings.elements(Int64.self) + 1 + firstPart
        for (part, end) in area.partEnds.enumerated() { partEnds[part] = firstRing + Int64(end) }
        let ringEnds = ringVertices.elements(Int64.self) + 1 + Int(firstRing)
        let firstVertex = vertices.elements(Int64.self)[row]
        for (ring, end) in area.ringEnds.enumerated() { ringEnds[ring] = firstVertex + Int64(end) }
        area.writeCounterClockwise(to: xy.elements(SIMD2<Double>.self) + Int(firstVertex))
      }
    }
    var column = ArrowColumn(name: "xy", format: "g", count: 2 * count, buffers: [xy])
    column = ArrowColumn(
      name: "vertices", format: "+w:2", count: count, buffers: [], children: [column])
    column = ArrowColumn(
      name: "rings", format: "+L", count: ringCount, buffers: [ringVertices], children: [column])
    column = ArrowColumn(
      name: "polygons", format: "+L", count: partCount, buffers: [partRings], children: [column])
    return ArrowColumn(
      name: name, format: "+L", metadata: [("ARROW:extension:name", "geoarrow.multipolygon")],
      count: areas.count, nullCount: parts.nullCount, validity: parts.validity,
      buffers: [parts.offsets], children: [column])
  }
}
