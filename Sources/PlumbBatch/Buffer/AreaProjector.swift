import PlumbCore
import PlumbGeometry
import PlumbSources

/// Transforms areas to another CRS, vertex by vertex, on several threads.
final class AreaProjector: Sendable {
  private let source: SpatialReference
  private let target: SpatialReference
  /// One transformation per worker, because a transformation is not thread-safe.
  private let transformations: WorkerStates<Transformation>
  private let workers: Workers

  /// - Returns: nil if coordinates in both CRSs are equal.
  /// - Throws: if there is no transformation between the CRSs.
  package init?(
    from source: SpatialReference, to target: SpatialReference, workers: Workers
  ) throws {
    guard !source.isEquivalent(to: target) else { return nil }
    (self.source, self.target, self.workers) = (source, target, workers)
    transformations = try WorkerStates(count: workers.count) { () throws(GeometryError) in
      try Transformation(from: source, to: target)
    }
  }

  /// Returns a one-line warning if the transformation may be less accurate than the CRSs allow; nil
  /// otherwise.
  ///
  /// - Parameter isProjected: whether the areas are already in the target CRS instead of the source CRS.
  package func warning(of areas: [Polygon], isProjected: Bool) -> String? {
    guard let box = areas.lazy.map({ Geometry.polygon($0).envelope }).first(where: { !$0.isEmpty }),
      let area = Transformation.area(of: box.corners, in: isProjected ? target : source)
    else { return nil }
    return Transformation.warning(from: source, to: target, area: area)
  }

  /// Transforms areas. An area that crosses ±180° is cut into parts.
  ///
  /// - Throws: `GeometryError` with the index of an area that contains a vertex that cannot be
  ///   transformed, or that crosses the edge of the target CRS elsewhere than at ±180°, usually
  ///   around a pole.
  package func project(_ areas: [Polygon]) throws(GeometryError) -> [Polygon] {
    let projected = try workers.mapRanges(areas.count, grain: 64) {
      (worker, range) throws(GeometryError) in
      var projected: [Polygon] = []
      projected.reserveCapacity(range.count)
      for index in range {
        projected.append(try project(areas[index], index, transformations[worker]).get())
      }
      return projected
    }
    return Array(projected.joined())
  }

  private func project(
    _ area: Polygon, _ index: Int, _ transformation: Transformation
  ) -> Result<Polygon, GeometryError> {
    let before = area.vertices.xy
    var x = before.map(\.x)
    var y = before.map(\.y)
    transformation.apply(x: &x, y: &y, count: before.count)
    var after: [SIMD2<Double>] = []
    after.reserveCapacity(before.count)
    for vertex in before.indices {
      guard x[vertex].isFinite, y[vertex].isFinite else {
        return .failure(
          GeometryError(
            "\(before[vertex].x), \(before[vertex].y) of its buffer cannot be transformed to "
              + target.label, member: index))
      }
      after.append(SIMD2(x[vertex], y[vertex]))
    }
    let projected = Polygon(
      VertexList(after), ringEnds: area.ringEnds, partEnds: area.partEnds,
      spatialReference: target)
    guard isTorn(area, after, transformation) else { return .success(projected) }
    do throws(GeometryError) {
      // The rings of `projected` may be reversed, because the orientation of a torn ring is
      // arbitrary. `torn` keeps the order of the vertices.
      let torn = Polygon(
        canonical: VertexList(after), ringEnds: area.ringEnds, partEnds: area.partEnds,
        spatialReference: target)
      if target.isGeographic, let cut = try AntimeridianCut(target).areas(torn) {
        return .success(cut)
      }
    } catch {
      return .failure(error.of(member: index))
    }
    return .failure(
      GeometryError(
        "its buffer crosses the edge of \(target.label), usually around a pole",
        member: index,
        remedies: [
          "choose a CRS that has no edge there (\(.outCRS)) and a format that supports it (\(.output))"
        ]))
  }

  /// Returns whether an area is torn by the edge of the target CRS. An area is torn if the
  /// transformed midpoint of one of its sides is far from the midpoint of the side's transformed
  /// ends. The ends are then on opposite sides of the edge of the CRS, and the straight line
  /// between them goes around the world.
  private func isTorn(
    _ area: Polygon, _ after: [SIMD2<Double>], _ transformation: Transformation
  ) -> Bool {
    let before = area.vertices.xy
    // About a tenth of a metre: smaller deviations are rounding errors.
    let minimum = (target.isGeographic ? 1e-8 : 0.1) / target.unit.factor
    for ring in area.rings {
      guard let (low, high) = VertexList(Array(after[ring])).bounds() else { continue }
      // Only a side that spans more than a quarter of its ring can be torn.
      let span = (high - low) / 4
      for end in ring.dropFirst() {
        let step = after[end] - after[end - 1]
        guard abs(step.x) > max(span.x, minimum) || abs(step.y) > max(span.y, minimum) else {
          continue
        }
        let middle = before[end - 1] + (before[end] - before[end - 1]) / 2
        var (x, y) = (middle.x, middle.y)
        transformation.apply(x: &x, y: &y, count: 1)
        let off = SIMD2(x, y) - (after[end - 1] + step / 2)
        let limit = 0.25 * (step * step).sum().squareRoot()
        guard (off * off).sum().squareRoot() <= max(limit, minimum) else { return true }
      }
    }
    return false
  }
}
