import PlumbCore
import PlumbGeometry
import PlumbRaster

extension RasterIdentifier {
  /// Warnings about georeferencing, one line each: about assumed placements, and about rasters without a CRS
  /// that are queried in degrees.
  public var referenceWarnings: [String] {
    // A warning that applies to several rasters with the same name is issued once.
    var seen: Set<String> = []
    return (placementNotes + degreeWarnings).filter { seen.insert($0).inserted }
  }

  /// Notes about assumed placements of rasters, one line each.
  private var placementNotes: [String] {
    sampler.requests.compactMap { request in
      request.raster.members.lazy.compactMap(\.profile.note).first.map {
        "\(request.raster.name.printable): \($0)"
      }
    }
  }

  private var degreeWarnings: [String] {
    guard !usesRasterReference, let reference, reference.isGeographic else { return [] }
    return sampler.requests.compactMap { request in
      request.raster.references.contains(nil)
        ? "\(request.raster.name.printable) has no CRS: the degrees of "
          + "\(reference.label) are used as its coordinates" : nil
    }
  }

  /// The error that ends a strict run if a raster could not be read at a point; nil if all points
  /// were read.
  public func refusal(of answers: [RasterAnswer]) -> PlumbError? {
    for (request, answer) in zip(sampler.requests, answers) {
      for column in answer.columns {
        for row in 0..<column.count {
          let status = column.status(at: row)
          guard [.readError, .transformFailed, .badPoint].contains(status) else { continue }
          return .strict("\(request.raster.name): a point is \(status.name)")
        }
      }
    }
    return nil
  }

  /// Warnings about transformations whose best operation is a ballpark transformation or lacks its
  /// grid, one line each.
  public var transformationWarnings: [String] {
    guard !usesRasterReference, let reference else { return [] }
    return rasterReferences.enumerated().compactMap { index, target in
      guard let target, target.isGeoreferenced else { return nil }
      return Transformation.warning(
        from: reference, to: target, around: corners(of: index), in: target)
    }
  }

  /// The corners of the rasters with the given CRS. Of many files, only those at the edges and about a
  /// thousand others are considered.
  private func corners(of reference: Int) -> [SIMD2<Double>] {
    var corners: [SIMD2<Double>] = []
    for request in sampler.requests {
      for (member, memberReference) in zip(request.raster.members, request.raster.memberReferences)
      where request.raster.references[memberReference] == sampler.references[reference] {
        corners += (member.profile.corners ?? []).map { SIMD2($0.x, $0.y) }
      }
    }
    if corners.count > 4000 {
      let edges = [
        corners.min { $0.x < $1.x }, corners.max { $0.x < $1.x }, corners.min { $0.y < $1.y },
        corners.max { $0.y < $1.y },
      ]
      corners =
        edges.compactMap { $0 }
        + stride(from: 0, to: corners.count, by: corners.count / 4000).map { corners[$0] }
    }
    return corners
  }

  /// A description of the raster's extent in the raster's CRS, for messages.
  package func extentText(of raster: Raster) -> String {
    if raster.isInCells {
      let grid = raster.members[0].profile.grid
      return "has columns 0 to \(grid.width - 1) and rows 0 to \(grid.height - 1)"
    }
    let corners = raster.members.flatMap { $0.profile.corners ?? [] }
    let label = raster.references[0].map {
      (try? SpatialReference($0))?.label ?? "an unknown CRS"
    }
    let reference = " (\(label ?? "no CRS"))"
    guard let minX = corners.map(\.x).min(), let maxX = corners.map(\.x).max(),
      let minY = corners.map(\.y).min(), let maxY = corners.map(\.y).max()
    else { return "is located by control points" + reference }
    return "spans x \(minX)…\(maxX), y \(minY)…\(maxY)" + reference
  }
}

extension RasterProfile {
  /// The corners of the whole grid; nil if the raster has no affine or rectilinear grid.
  public var corners: [(x: Double, y: Double)]? { mapping.placement?.corners(of: grid) }
}
