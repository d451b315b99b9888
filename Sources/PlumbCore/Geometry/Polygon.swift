/// One area or more, each an exterior ring with any number of holes.
///
/// Rings are closed. Exterior rings run clockwise and holes counter-clockwise, as in Esri's model;
/// an initializer turns those that do not, by the exact sign of their area, so that a polygon made of
/// another's rings has the same ones. A codec writes the orientation that its format wants.
public struct Polygon: Sendable, Hashable {
  /// The vertices of all rings, ring after ring.
  public private(set) var vertices: VertexList
  /// Where each ring ends in `vertices`, ascending; the last is `vertices.count`.
  public private(set) var ringEnds: [Int]
  /// Where each part ends in `ringEnds`, ascending; the last is `ringEnds.count`. A part is an
  /// exterior ring and then its holes.
  public private(set) var partEnds: [Int]
  /// What the coordinates are in; nil where it is not known. Setting it transforms nothing.
  public var spatialReference: SpatialReference?

  /// Closes rings that are open and turns those that run the wrong way.
  ///
  /// - Parameters:
  ///   - vertices: those of all rings, ring after ring.
  ///   - ringEnds: nil for one ring.
  ///   - partEnds: nil for one part.
  ///   - spatialReference: what they are in; nil where it is not known.
  /// - Precondition: `ringEnds` ascends and ends at `vertices.count`, `partEnds` at
  ///   `ringEnds.count`.
  public init(
    _ vertices: VertexList, ringEnds: [Int]? = nil, partEnds: [Int]? = nil,
    spatialReference: SpatialReference? = nil
  ) {
    let rings = ringEnds ?? (vertices.isEmpty ? [] : [vertices.count])
    let parts = partEnds ?? (rings.isEmpty ? [] : [rings.count])
    precondition(rings.last ?? 0 == vertices.count, "the last ring ends with the last vertex")
    precondition(parts.last ?? 0 == rings.count, "the last part ends with the last ring")
    precondition(zip(rings, rings.dropFirst()).allSatisfy { $0 <= $1 }, "rings ascend")
    precondition(zip(parts, parts.dropFirst()).allSatisfy { $0 <= $1 }, "parts ascend")
    self.init(
      canonical: vertices, ringEnds: rings, partEnds: parts, spatialReference: spatialReference)
    self.ringEnds = self.vertices.closeRings(endingAt: rings)
    orientRings()
  }

  /// Takes rings that are closed and oriented already.
  package init(
    canonical vertices: VertexList, ringEnds: [Int], partEnds: [Int],
    spatialReference: SpatialReference?
  ) {
    self.vertices = vertices
    self.ringEnds = ringEnds
    self.partEnds = partEnds
    self.spatialReference = spatialReference
  }

  /// A polygon without area.
  public static func empty(_ spatialReference: SpatialReference? = nil) -> Polygon {
    Polygon(canonical: VertexList(), ringEnds: [], partEnds: [], spatialReference: spatialReference)
  }

  /// Whether there are no rings.
  public var isEmpty: Bool { vertices.isEmpty }

  /// The range of each ring in `vertices`.
  public var rings: [Range<Int>] { ranges(endingAt: ringEnds) }

  /// The range of each part in `rings`.
  public var parts: [Range<Int>] { ranges(endingAt: partEnds) }

  /// Each part alone.
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

  /// Turns exterior rings that run counter-clockwise, and holes that run clockwise. A ring without
  /// area runs neither way and stays as it is.
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
