import CGEOS
import PlumbCore

/// The union of many areas.
///
/// Members are divided into tiles of neighbours. Each tile is joined separately: first a few
/// neighbours at a time (`GEOSBuffer_r` by 0, which takes half the time of `GEOSUnaryUnion_r`),
/// then the results. Tiles that do not touch each other are put into one class, which needs no
/// overlay. The few classes are joined pairwise (`GEOSUnion_r`), each group of parts with touching
/// bounding boxes separately. A part that touches no other part is never overlaid and keeps its
/// vertices.
///
/// The tiles and groups depend only on the members, so the result is bit-identical for any number
/// of workers.
struct AreaUnion: Sendable {
  /// A function that returns a member's area. It is called once per member, by one of the workers
  /// with that worker's context.
  typealias Member = @Sendable (Int, GEOSContext) throws(GeometryError) -> Polygon

  private let boxes: [Box]
  private let reference: SpatialReference?
  private let workers: Workers
  private let member: Member

  /// The number of members per tile, large enough that joining the tiles is a small part of the
  /// work.
  private static let tileSize = 128
  /// The number of a tile's members that are joined at a time, small because GEOS's time grows
  /// faster than linearly.
  private static let atOnce = 16

  /// - Parameter boxes: the approximate bounding box of each member; it affects only the speed.
  init(
    _ boxes: [Box], _ reference: SpatialReference?, _ workers: Workers, member: @escaping Member
  ) {
    self.boxes = boxes
    self.reference = reference
    self.workers = workers
    self.member = member
  }

  /// - Throws: the error of the lowest member that fails.
  func polygon() throws(GeometryError) -> Polygon {
    var tiles = try joinedTiles()
    let holes = try unnamed { () throws(GeometryError) in
      try SettledHoles.removed(from: &tiles, workers)
    }
    var classes = Self.classes(of: tiles)
    while classes.count > 1 { classes = try joinedPairs(classes) }
    let context = try GEOSContext()
    var members = (classes.first ?? []).map { Optional($0.take()) }
    let polygon = try ShapeParts(context.collection(GEOS_GEOMETRYCOLLECTION, &members))
      .polygon(reference)
    return try unnamed { () throws(GeometryError) in try holes.restored(to: polygon, workers) }
  }

  // MARK: Tiles

  private func joinedTiles() throws(GeometryError) -> [[AreaPart]] {
    let tiles = Tiles.members(boxes, size: Self.tileSize)
    let results = try workers.mapMembers(tiles.count, grain: 1, state: try GEOSContext()) {
      (context, tile) throws(GeometryError) in
      self.parts(ofTile: tiles[tile], context)
    }
    var joined: [[AreaPart]] = []
    var failure: GeometryError?
    for result in results {
      switch result {
      case .success(let parts): joined.append(parts)
      case .failure(let error):
        if failure == nil || error.member ?? -1 < failure?.member ?? -1 { failure = error }
      }
    }
    if let failure { throw failure }
    return joined
  }

  private func parts(
    ofTile indices: [Int], _ context: GEOSContext
  ) -> Result<[AreaPart], GeometryError> {
    var areas: [AreaPart] = []
    // Process all members, because the error of the lowest failed one is reported.
    var failure: GeometryError?
    for index in indices {
      do throws(GeometryError) {
        let polygon = try member(index, context)
        guard let (low, high) = polygon.vertices.bounds() else {
          // The polygon has no vertices, or only NaN vertices, which `shape(of:)` rejects.
          if !polygon.isEmpty { _ = try context.shape(of: .polygon(polygon)) }
          continue
        }
        let shape = try context.validArea(of: polygon)
        areas.append(AreaPart(shape.take(), Box(low: low, high: high), context))
      } catch {
        if failure == nil || index < failure?.member ?? -1 { failure = error.of(member: index) }
      }
    }
    if let failure { return .failure(failure) }
    do throws(GeometryError) {
      var parts: [AreaPart] = []
      for group in TouchingBoxes(areas.map(\.box)).groups() {
        if group.count == 1 {
          var members = [Optional(areas[group[0]].take())]
          try context.append(context.collection(GEOS_GEOMETRYCOLLECTION, &members), to: &parts)
        } else {
          try context.append(
            context.joined(group.map { areas[$0].take() }, atOnce: Self.atOnce), to: &parts)
        }
      }
      return .success(parts)
    } catch {
      return .failure(error)
    }
  }

  // MARK: Classes

  /// Puts the parts of tiles into classes, so that the tiles of one class do not touch each other.
  private static func classes(of tiles: [[AreaPart]]) -> [[AreaPart]] {
    var classes: [(boxes: [Box], parts: [AreaPart])] = []
    for tile in tiles where !tile.isEmpty {
      var box = Box.nowhere
      for part in tile { box.include(part.box) }
      let free = classes.firstIndex { known in !known.boxes.contains { $0.touches(box) } }
      if let free {
        classes[free].boxes.append(box)
        classes[free].parts += tile
      } else {
        classes.append(([box], tile))
      }
    }
    return classes.map(\.parts)
  }

  /// Joins the classes pairwise. The first round joins only as many as are needed to make the
  /// number of classes a power of two, so that a small last class is never joined to the union of
  /// all others.
  private func joinedPairs(_ classes: [[AreaPart]]) throws(GeometryError) -> [[AreaPart]] {
    var count = 1
    while count * 2 < classes.count { count *= 2 }
    let extra = classes.count - count
    var results: [[AreaPart]] = []
    var jobs: [(pair: Int, first: [AreaPart], second: [AreaPart])] = []
    for pair in 0..<count {
      // Neighbours in the list are also neighbours on the ground, so that the groups of touching
      // parts in a pair stay small.
      let first = extra == count ? classes[2 * pair] : classes[pair]
      let second =
        extra == count ? classes[2 * pair + 1] : pair < extra ? classes[count + pair] : []
      let both = first + second
      var alone: [AreaPart] = []
      for group in TouchingBoxes(both.map(\.box), sideStart: first.count).groups() {
        if group.count == 1 {
          alone.append(both[group[0]])
        } else {
          jobs.append(
            (
              pair, group.filter { $0 < first.count }.map { both[$0] },
              group.filter { $0 >= first.count }.map { both[$0] }
            ))
        }
      }
      results.append(alone)
    }
    let work = jobs
    let joined = try unnamed { () throws(GeometryError) in
      try workers.mapMembers(work.count, grain: 1, state: try GEOSContext()) {
        (context, job) throws(GeometryError) in
        try context.union(work[job].first, work[job].second)
      }
    }
    for (job, parts) in zip(jobs, joined) { results[job.pair] += parts }
    return results
  }

  /// Removes the member index from errors, because the index of a group is not an index in the
  /// caller's list.
  private func unnamed<Value>(
    _ body: () throws(GeometryError) -> Value
  ) throws(GeometryError) -> Value {
    do throws(GeometryError) {
      return try body()
    } catch {
      throw GeometryError(error.message)
    }
  }
}

/// A GEOS polygon during a union.
///
/// - Invariant: no thread uses a part between two steps of a union, and only one worker uses it
///   within a step.
final class AreaPart: @unchecked Sendable {
  let box: Box
  private var pointer: OpaquePointer?
  private let context: GEOSContext

  init(_ pointer: OpaquePointer, _ box: Box, _ context: GEOSContext) {
    self.pointer = pointer
    self.box = box
    self.context = context
  }

  deinit {
    if let pointer { GEOSGeom_destroy_r(context.handle, pointer) }
  }

  /// Transfers ownership of the polygon to the caller.
  func take() -> OpaquePointer {
    guard let shape = pointer else { preconditionFailure("a part was already taken") }
    pointer = nil
    return shape
  }
}
