import PlumbCore

extension GeometryEngine {
  /// Returns the buffer of each geometry: the area within a distance of the geometry.
  ///
  /// A negative distance shrinks an area, possibly to an empty polygon; a distance of 0 returns the
  /// area itself. For a point or a line, a distance of 0 or less returns an empty polygon. The
  /// buffer of an empty geometry is an empty polygon.
  ///
  /// - Parameters:
  ///   - geometries: points, lines and areas, in any mixture.
  ///   - distances: one per geometry; if there are fewer distances, the last distance is used for
  ///     the remaining geometries.
  ///   - unit: the unit of the distances; nil for the unit of the CRS (planar) or the metre
  ///     (geodesic).
  ///   - union: whether to join all buffers into one polygon, which is multipart if the buffers are
  ///     disjoint.
  ///   - method: planar or geodesic, with its options.
  ///   - workers: the threads that share the work.
  /// - Returns: one polygon per geometry in the same order, or a single polygon with `union`; an
  ///   empty list if there are no geometries.
  /// - Throws: `GeometryError` for a distance that is not finite, for more distances than
  ///   geometries, for a unit that does not fit the CRS, and for a coordinate that is not finite.
  ///   A geodesic buffer also throws for a missing CRS, CRSs that are not equivalent, and a latitude
  ///   beyond 90°.
  public static func buffer(
    around geometries: [Geometry], distances: [Double], unit: LengthUnit? = nil,
    union: Bool = false, method: BufferMethod = .planar(), workers: Workers = Workers()
  ) throws(GeometryError) -> [Polygon] {
    guard !geometries.isEmpty else { return [] }
    let distances = try checked(distances, count: geometries.count)
    switch method {
    case .planar(let options):
      let (geometries, reference) = try inCommonReference(geometries)
      let scale = try planarScale(of: unit, in: reference)
      let buffers = PlanarBuffers(
        geometries: geometries, distances: distances.map { $0 * scale }, reference: reference,
        options: options, workers: workers)
      return union ? [try buffers.union()] : try buffers.list()
    case .geodesic(let options):
      let references = Set(geometries.compactMap(\.spatialReference))
      guard let reference = geometries.lazy.compactMap(\.spatialReference).first else {
        throw GeometryError("a geodesic buffer needs a spatial reference", code: .badOption)
      }
      if let other = references.first(where: { !$0.isEquivalent(to: reference) }) {
        throw GeometryError(
          "geodesic buffers need geometries in one spatial reference: project "
            + "\(other.label) to \(reference.label) first, or the other way round",
          member: geometries.firstIndex { $0.spatialReference == other }, code: .badOption)
      }
      guard !(options.maxDeviation < GeodesicBuffers.minimumDeviation),
        options.maxDeviation != .infinity
      else {
        throw GeometryError(
          "the largest deviation has to be a number of metres, 0.000001 or more",
          code: .badOption)
      }
      let scale = try geodesicScale(of: unit)
      let buffers = GeodesicBuffers(
        geometries: geometries, distances: distances.map { $0 * scale }, reference: reference,
        options: options, workers: workers)
      return union ? [try buffers.union()] : try buffers.list()
    }
  }

  /// Checks the distances and returns one per geometry.
  private static func checked(
    _ distances: [Double], count: Int
  ) throws(GeometryError) -> [Double] {
    guard let last = distances.last else {
      throw GeometryError("a buffer needs a distance", code: .badOption)
    }
    guard distances.count <= count else {
      throw GeometryError(
        "\(distances.count) distances for \(count) geometries", code: .badOption)
    }
    if let index = distances.firstIndex(where: { !$0.isFinite }) {
      throw GeometryError(
        "the distance \(distances[index]) is not a finite number", member: index, code: .badOption)
    }
    return distances + repeatElement(last, count: count - distances.count)
  }

  /// The number of units of the CRS in one `unit`.
  private static func planarScale(
    of unit: LengthUnit?, in reference: SpatialReference?
  ) throws(GeometryError) -> Double {
    guard let unit else { return 1 }
    guard let reference else {
      throw GeometryError("distances in \(unit.name) need a spatial reference", code: .badOption)
    }
    switch (unit.metres, reference.isGeographic) {
    case (nil, true): return SpatialReference.Unit.degree.factor / reference.unit.factor
    case (let metres?, false): return metres / reference.unit.factor
    case (nil, false):
      throw GeometryError(
        "distances in degrees do not fit \(reference.label), whose unit is the "
          + reference.unit.name, code: .badOption)
    case (_?, true):
      throw GeometryError(
        "planar distances in \(unit.name) do not fit \(reference.label), whose unit is the "
          + "\(reference.unit.name); measure geodesically or project first", code: .badOption)
    }
  }

  /// The number of metres in one `unit`.
  private static func geodesicScale(of unit: LengthUnit?) throws(GeometryError) -> Double {
    guard let unit else { return 1 }
    guard let metres = unit.metres else {
      throw GeometryError("a geodesic distance cannot be in degrees", code: .badOption)
    }
    return metres
  }
}
