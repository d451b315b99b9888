import CGEOS
import PlumbCore
import Synchronization

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
/// of workers. Each worker keeps the members of one tile in memory, and joins the members computed
/// so far as soon as they have many vertices.
struct AreaUnion<Tools: UnionTools>: Sendable {
  /// A function that returns a member's area. It is called once per member, by one of the workers
  /// with that worker's objects.
  typealias Member = @Sendable (Int, Tools) throws(GeometryError) -> Polygon

  private let boxes: [Box]
  private let reference: SpatialReference?
  private let workers: Workers
  private let vertexLimit: Int
  private let tools: @Sendable () throws(GeometryError) -> Tools
  private let member: Member

  /// The number of members per tile, large enough that joining the tiles is a small part of the
  /// work.
  private static var tileSize: Int { 128 }
  /// The number of a tile's members that are joined at a time, small because GEOS's time grows
  /// faster than linearly.
  private static var atOnce: Int { 16 }
  /// The number of vertices at which the computed members of a tile are joined before the tile's
  /// other members are computed.
  private static var verticesAtOnce: Int { 1 << 17 }

  /// - Parameters:
  ///   - boxes: the approximate bounding box of each member; it affects only the speed.
  ///   - vertexLimit: the maximum number of vertices of all tiles together, after each tile is
  ///     joined.
  ///   - tools: a function that creates the objects of one worker.
  init(
    _ boxes: [Box], _ reference: SpatialReference?, _ workers: Workers,
    vertexLimit: Int = .max, tools: @escaping @Sendable () throws(GeometryError) -> Tools,
    member: @escaping Member
  ) {
    self.boxes = boxes
    self.reference = reference
    self.workers = workers
    self.vertexLimit = vertexLimit
    self.tools = tools
    self.member = member
  }

  /// - Throws: the error of the failed member with the lowest index.
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
    let vertexCount = Mutex(0)
    let results = try workers.mapMembers(tiles.count, grain: 1, state: try tools()) {
      (tools, tile) throws(GeometryError) in
      let parts = self.parts(ofTile: tiles[tile], tools)
      guard vertexLimit < .max, case .success(let joined) = parts else { return parts }
      let count = joined.reduce(0) { $0 + $1.vertexCount }
      let total = vertexCount.withLock {
        $0 += count
        return $0
      }
      guard total <= vertexLimit else { return .failure(tooManyVertices) }
      return parts
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

  private var tooManyVertices: GeometryError {
    GeometryError(
      "the joined area needs more than \(vertexLimit) vertices; allow a larger deviation, or join "
        + "fewer buffers", code: .limit)
  }

  private func parts(
    ofTile indices: [Int], _ tools: Tools
  ) -> Result<[AreaPart], GeometryError> {
    let context = tools.context
    var areas: [AreaPart] = []
    var vertexCount = 0
    var nextJoin = Self.verticesAtOnce
    // Process all members, because the error of the failed member with the lowest index is
    // reported.
    var failure: GeometryError?
    var last: Polygon?
    for index in indices {
      if WorkCancellation.isCurrentCancelled { return .failure(.cancelled) }
      do throws(GeometryError) {
        let polygon = try member(index, tools)
        // Equal members, such as buffers of the same point, are adjacent in a tile.
        if polygon == last { continue }
        last = polygon
        guard let (low, high) = polygon.vertices.bounds() else {
          // The polygon has no vertices, or only NaN vertices, which `shape(of:)` rejects.
          if !polygon.isEmpty { _ = try context.shape(of: .polygon(polygon)) }
          continue
        }
        // After a failure, the other members are only checked for a failure with a lower index.
        if failure != nil { continue }
        let shape = try context.validArea(of: polygon)
        areas.append(AreaPart(shape.take(), Box(low: low, high: high), context))
        vertexCount += polygon.vertices.count
      } catch {
        if failure == nil || index < failure?.member ?? -1 { failure = error.of(member: index) }
      }
      guard vertexCount > nextJoin, areas.count > 1, failure == nil else { continue }
      do throws(GeometryError) {
        areas = try parts(joining: areas, context)
      } catch {
        return .failure(error)
      }
      vertexCount = areas.reduce(0) { $0 + $1.vertexCount }
      guard vertexCount <= vertexLimit else { return .failure(tooManyVertices) }
      nextJoin = max(Self.verticesAtOnce, 2 * vertexCount)
    }
    if let failure { return .failure(failure) }
    do throws(GeometryError) {
      return .success(try parts(joining: areas, context))
    } catch {
      return .failure(error)
    }
  }

  private func parts(
    joining areas: [AreaPart], _ context: GEOSContext
  ) throws(GeometryError) -> [AreaPart] {
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
    return parts
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

  /// Joins the classes pairwise. The first round joins only as many classes as are needed to make
  /// the number of classes a power of two, so that a small last class is never joined to the union
  /// of all other classes.
  private func joinedPairs(_ classes: [[AreaPart]]) throws(GeometryError) -> [[AreaPart]] {
    var count = 1
    while count * 2 < classes.count { count *= 2 }
    let extra = classes.count - count
    var results: [[AreaPart]] = []
    var jobs: [(pair: Int, first: [AreaPart], second: [AreaPart])] = []
    for pair in 0..<count {
      // Adjacent classes in the list are also adjacent on the ground, so that the groups of
      // touching parts in a pair remain small.
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

/// The objects of one worker of a union.
protocol UnionTools: SendableMetatype {
  var context: GEOSContext { get }
}

extension GEOSContext: UnionTools {
  var context: GEOSContext { self }
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

  /// The number of vertices of the polygon.
  var vertexCount: Int {
    pointer.map { max(0, Int(GEOSGetNumCoordinates_r(context.handle, $0))) } ?? 0
  }

  /// Transfers ownership of the polygon to the caller.
  func take() -> OpaquePointer {
    guard let shape = pointer else { preconditionFailure("a part was already taken") }
    pointer = nil
    return shape
  }
}
