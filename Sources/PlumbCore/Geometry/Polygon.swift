/// One or more areas, each an exterior ring with any number of holes.
///
/// Rings are closed. Exterior rings are clockwise and holes counter-clockwise, as in Esri's model;
/// initializers reverse rings of the wrong orientation. The orientation is the exact sign of the
/// area, so a polygon made from another polygon's rings has the same rings. Codecs write rings in
/// the orientation of their format.
public struct Polygon: Sendable, Hashable {
  /// The vertices of all rings, ring after ring.
  public private(set) var vertices: VertexList
  /// The end index of each ring in `vertices`, ascending; the last is `vertices.count`.
  public private(set) var ringEnds: [Int]
  /// The end index of each part in `ringEnds`, ascending; the last is `ringEnds.count`. A part is an exterior
  /// ring followed by its holes.
  public private(set) var partEnds: [Int]
  /// The CRS of the coordinates; nil if it is unknown. Setting it does not transform the coordinates.
  public var spatialReference: SpatialReference?

  /// Closes open rings and reverses rings of the wrong orientation.
  ///
  /// - Parameters:
  ///   - vertices: the vertices of all rings, ring after ring.
  ///   - ringEnds: nil for one ring.
  ///   - partEnds: nil for one part.
  ///   - spatialReference: the CRS of the vertices; nil if it is unknown.
  /// - Precondition: `ringEnds` ascends and ends at `vertices.count`; `partEnds` ascends and ends
  ///   at the number of rings.
  public init(
    _ vertices: VertexList, ringEnds: [Int]? = nil, partEnds: [Int]? = nil,
    spatialReference: SpatialReference? = nil
  ) {
    let rings = ringEnds ?? (vertices.isEmpty ? [] : [vertices.count])
    let parts = partEnds ?? (rings.isEmpty ? [] : [rings.count])
    precondition(rings.last ?? 0 == vertices.count, "the last ring must end with the last vertex")
    precondition(parts.last ?? 0 == rings.count, "the last part must end with the last ring")
    precondition(zip(rings, rings.dropFirst()).allSatisfy { $0 <= $1 }, "rings ascend")
    precondition(zip(parts, parts.dropFirst()).allSatisfy { $0 <= $1 }, "parts ascend")
    self.init(
      canonical: vertices, ringEnds: rings, partEnds: parts, spatialReference: spatialReference)
    self.ringEnds = self.vertices.closeRings(endingAt: rings)
    orientRings()
  }

  /// A polygon of rings that are already closed and oriented.
  package init(
    canonical vertices: VertexList, ringEnds: [Int], partEnds: [Int],
    spatialReference: SpatialReference?
  ) {
    self.vertices = vertices
    self.ringEnds = ringEnds
    self.partEnds = partEnds
    self.spatialReference = spatialReference
  }

  /// A polygon without rings.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Polygon {
    Polygon(canonical: VertexList(), ringEnds: [], partEnds: [], spatialReference: spatialReference)
  }

  /// Whether there are no rings.
  public var isEmpty: Bool { vertices.isEmpty }

  /// The range of each ring in `vertices`.
  public var rings: [Range<Int>] { ranges(endingAt: ringEnds) }

  /// The range of each part in `rings`.
  public var parts: [Range<Int>] { ranges(endingAt: partEnds) }

  /// One polygon for each part.
  package var singleParts: [Polygon] {
    let rings = rings
    return parts.compactMap { part in
      guard let first = part.first, let last = part.last else { return nil }
      let start = rings[first].lowerBound
      return Polygon(
        canonical: vertices[start..<rings[last].upperBound],
        ringEnds: part.map { rings[$0].upperBound - start }, partEnds: [part.count],
        spatialReference: spatialReference)
    }
  }

  /// Reverses counter-clockwise exterior rings and clockwise holes. A ring without area has no orientation
  /// and is unchanged.
  private mutating func orientRings() {
    let rings = self.rings
    for part in parts {
      for ring in part {
        let wrong = ring == part.lowerBound ? 1 : -1
        if vertices.orientation(ofRing: rings[ring]) == wrong { vertices.reverse(rings[ring]) }
      }
    }
  }
}
