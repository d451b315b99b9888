import CGEOS
import PlumbCore

extension GeometryEngine {
  /// Finds invalid areas, whose rings cross themselves or each other, are nested incorrectly, or
  /// have zero area. Rings that only touch are valid.
  ///
  /// - Parameters:
  ///   - geometries: the geometries, each tested in its own plane; lines and points are always valid.
  ///   - workers: the threads that share the work.
  /// - Returns: the indices of the invalid geometries, ascending, and the reasons.
  public static func flaws(
    of geometries: [Geometry], workers: Workers = Workers()
  ) -> [(index: Int, reason: String)] {
    let flaws = workers.mapRanges(geometries.count, grain: 64) { _, range in
      let context = Result { () throws(GeometryError) in try GEOSContext() }
      return range.compactMap { index in
        flaw(of: geometries[index], context).map { (index: index, reason: $0) }
      }
    }
    return Array(flaws.joined())
  }

  /// Whether an area is valid, or its rings only touch.
  package static func isValid(_ polygon: Polygon) -> Bool {
    if polygon.isStarShaped || polygon.isClearlySimple { return true }
    return flaw(of: .polygon(polygon), Result { () throws(GeometryError) in try GEOSContext() })
      == nil
  }

  private static func flaw(
    of geometry: Geometry, _ context: Result<GEOSContext, GeometryError>
  ) -> String? {
    switch geometry {
    case .point, .multipoint, .polyline: return nil
    case .envelope(let envelope):
      return envelope.xMin < envelope.xMax && envelope.yMin < envelope.yMax
        ? nil : "a rectangle with zero area"
    case .polygon(let polygon):
      if polygon.isStarShaped || polygon.isClearlySimple { return nil }
      if let reason = flatRing(polygon) { return reason }
    }
    do throws(GeometryError) {
      let context = try context.get()
      let shape = try context.shape(of: geometry)
      return try context.flaw(of: shape)
    } catch {
      return error.message
    }
  }

  /// The message about a ring whose area is zero relative to its bounding box; nil if there is no
  /// such ring.
  private static func flatRing(_ polygon: Polygon) -> String? {
    let points = polygon.vertices.xy
    var start = 0
    for end in polygon.ringEnds {
      defer { start = end }
      guard end <= points.count, start < end else { continue }
      let origin = points[start]
      var (low, high, area) = (origin, origin, 0.0)
      var last = SIMD2<Double>(0, 0)
      for point in points[start..<end] {
        low = low.replacing(with: point, where: point .< low)
        high = high.replacing(with: point, where: point .> high)
        let next = point - origin
        area += last.x * next.y - last.y * next.x
        last = next
      }
      let size = high - low
      guard area.magnitude <= 1e-13 * size.x * size.y else { continue }
      // The area may be zero because two halves cancel; the ring then crosses itself.
      if size.x > 0, size.y > 0, !isStraight(points[start..<end]) { continue }
      return "a ring with zero area at \(origin.x), \(origin.y)"
    }
    return nil
  }

  /// Whether points are on one line, within the precision of their coordinates.
  private static func isStraight(_ points: ArraySlice<SIMD2<Double>>) -> Bool {
    guard let first = points.first else { return true }
    let farthest = points.reduce(first) { known, point in
      let (a, b) = (known - first, point - first)
      return (b * b).sum() > (a * a).sum() ? point : known
    }
    let way = farthest - first
    let length = (way * way).sum()
    return points.allSatisfy { point in
      let step = point - first
      return (way.x * step.y - way.y * step.x).magnitude <= 1e-12 * length
    }
  }
}

extension GEOSContext {
  /// The reason why an area is invalid; nil if it is valid or its rings only touch.
  fileprivate func flaw(of shape: borrowing GEOSShape) throws(GeometryError) -> String? {
    guard try !isValid(shape), let text = GEOSisValidReason_r(handle, shape.pointer) else {
      return nil
    }
    defer { GEOSFree_r(handle, text) }
    // The reason is, for example, `Self-intersection[0.5 0.5]`.
    let reason = String(cString: text).printable
    let harmless = ["Ring Self-intersection", "Interior is disconnected", "Valid Geometry"]
    guard !harmless.contains(where: { reason.hasPrefix($0) }) else { return nil }
    let parts = reason.split(separator: "[", maxSplits: 1)
    guard parts.count == 2 else { return reason.lowercased() }
    return "\(parts[0].lowercased()) at "
      + parts[1].filter { $0 != "]" }.split(separator: " ").joined(separator: ", ")
  }
}
