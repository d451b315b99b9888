/// One or more lines of straight edges.
public struct Polyline: Sendable, Hashable {
  /// The vertices of all parts, part after part.
  public private(set) var vertices: VertexList
  /// The end index of each part in `vertices`, ascending; the last is `vertices.count`.
  public private(set) var partEnds: [Int]
  /// The CRS of the coordinates; nil if it is unknown. Setting it does not transform the coordinates.
  public var spatialReference: SpatialReference?

  /// - Precondition: `partEnds` ascends and ends at `vertices.count`.
  public init(
    _ vertices: VertexList, partEnds: [Int]? = nil, spatialReference: SpatialReference? = nil
  ) {
    let ends = partEnds ?? (vertices.isEmpty ? [] : [vertices.count])
    precondition(ends.last ?? 0 == vertices.count, "the last part must end with the last vertex")
    precondition(zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 }, "parts ascend")
    self.vertices = vertices
    self.partEnds = ends
    self.spatialReference = spatialReference
  }

  /// Whether there are no vertices.
  public var isEmpty: Bool { vertices.isEmpty }

  /// The range of each part in `vertices`.
  public var parts: [Range<Int>] { ranges(endingAt: partEnds) }
}

/// Returns the consecutive ranges that start at 0 and have these end indices.
func ranges(endingAt ends: [Int]) -> [Range<Int>] {
  var start = 0
  return ends.map { end in
    defer { start = end }
    return start..<end
  }
}
