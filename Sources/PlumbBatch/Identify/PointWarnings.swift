import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// What points themselves tell of how they were read: latitudes beyond a pole, and x and y that
/// look exchanged.
package struct PointWarnings {
  private let x: [Double]
  private let y: [Double]
  private let reference: SpatialReference?

  /// - Parameters:
  ///   - x: of the points, or of a sample of them: easting or longitude.
  ///   - y: likewise, northing or latitude.
  ///   - reference: the points'.
  package init(x: [Double], y: [Double], reference: SpatialReference?) {
    (self.x, self.y, self.reference) = (x, y, reference)
  }

  /// The points beyond a pole; none where the reference is not geographic.
  private var beyond: [Int] {
    guard let pole else { return [] }
    return y.indices.filter { y[$0].magnitude > pole }
  }

  /// The latitude of a pole in the reference's unit.
  private var pole: Double? {
    guard let reference, reference.isGeographic else { return nil }
    return 90 * (SpatialReference.Unit.degree.factor / reference.unit.factor) * (1 + 1e-12)
  }

  /// Whether most points lie beyond a pole, and would not the other way round.
  private var isExchangedByLatitude: Bool {
    let beyond = beyond
    guard let pole, !beyond.isEmpty, beyond.count * 2 > y.count else { return false }
    return beyond.allSatisfy { x[$0].magnitude <= pole }
  }

  /// The lines for points of which each has an answer of its own.
  ///
  /// - Parameters:
  ///   - rasters: those that were asked, if any.
  ///   - answers: theirs, at all the points.
  ///   - map: the map that was asked, if any.
  package func warnings(
    _ rasters: RasterIdentifier? = nil, _ answers: [RasterAnswer] = [],
    of map: MapIdentifier? = nil
  ) -> [Wording] {
    let beyond = beyond
    var latitude: String?
    if let first = beyond.first, let reference {
      let points =
        beyond.count == 1
        ? "a point at latitude \(y[first]) is"
        : "\(beyond.count) points, one at latitude \(y[first]), are"
      latitude = "\(points) beyond the pole in \(reference.label)"
    }
    let off = answers.map { answer in
      y.indices.count { [.outside, .transformFailed].contains(answer.status(at: $0)) }
    }
    let hint = exchangeHint(
      latitudes: "\(latitude ?? ""); x is the longitude and y the latitude",
      rasters ?? map?.rasters, of: map, off: off, of: y.count)
    return [hint ?? latitude.map { Wording($0) }].compactMap { $0 }
  }

  /// Returns a warning when x and y look exchanged, else nil.
  ///
  /// They do where latitudes exceed 90 degrees and the other order places points on a raster or a layer of
  /// features, or where nearly all points lie off a raster that most would lie on in the other order.
  ///
  /// - Parameters:
  ///   - columns: which columns were taken for x and y, in words; empty where there are none.
  ///   - latitudes: what is wrong with those, in words.
  ///   - map: the map that was asked, if any.
  ///   - off: how many points lie off each of the rasters, of which this may know but a sample.
  ///   - count: of all points.
  package func exchangeHint(
    columns: Wording = "", latitudes: String, _ rasters: RasterIdentifier?,
    of map: MapIdentifier? = nil, off: [Int], of count: Int
  ) -> Wording? {
    let start: Wording = "x and y look exchanged\(columns): "
    if isExchangedByLatitude {
      return isPlacedExchanged(rasters, map) ? "\(start)\(latitudes)" : nil
    }
    guard let rasters else { return nil }
    if let hint = degreesHint(rasters, off: off, of: count) { return hint }
    for (index, off) in off.enumerated() {
      guard off > 0, off * 10 >= count * 9 else { continue }
      let found = rasters.countOn(index, x: y, y: x)
      let own = rasters.countOn(index, x: x, y: y)
      guard found * 2 > x.count, found > own else { continue }
      let name = rasters.sampler.requests[index].raster.name.printable
      let what =
        "\(off) of \(count) \(count == 1 ? "point lies" : "points lie") off \(name), "
        + "and the other way round \(found) of \(x.count) that were tried "
        + (found == 1 ? "lies on it" : "lie on it")
      return "\(start)\(what)"
    }
    return nil
  }
}

extension PointWarnings {
  /// Whether the other order places points on a raster, or on a layer of features, that holds none as they
  /// stand.
  private func isPlacedExchanged(_ rasters: RasterIdentifier?, _ map: MapIdentifier?) -> Bool {
    if let rasters {
      let isOnRaster = rasters.sampler.requests.indices.contains { index in
        rasters.countOn(index, x: y, y: x) > 0 && rasters.countOn(index, x: x, y: y) == 0
      }
      if isOnRaster { return true }
    }
    guard let map else { return false }
    return x.indices.contains { map.reachesFeatures(x: y[$0], y: x[$0]) }
      && !x.indices.contains { map.reachesFeatures(x: x[$0], y: y[$0]) }
  }

  /// A line for the user when the points lie off a raster in a projection, whose coordinates they were
  /// taken for, and on it as longitudes and latitudes.
  private func degreesHint(
    _ rasters: RasterIdentifier, off: [Int], of count: Int
  ) -> Wording? {
    guard rasters.usesOwnReference, let reference, reference.isGeoreferenced,
      !reference.isGeographic, !x.isEmpty, x.allSatisfy({ $0.magnitude <= 360 }),
      y.allSatisfy({ $0.magnitude <= 90 }),
      let toRaster = try? Transformation(from: .wgs84, to: reference)
    else { return nil }
    var (ownX, ownY) = (x, y)
    toRaster.apply(x: &ownX, y: &ownY, count: x.count)
    for (index, off) in off.enumerated() where off > 0 && off * 10 >= count * 9 {
      let found = rasters.countOn(index, x: ownX, y: ownY)
      guard found * 2 > x.count, found > rasters.countOn(index, x: x, y: y) else { continue }
      let name = rasters.sampler.requests[index].raster.name.printable
      return
        "the points look like longitudes and latitudes, and as such lie on \(name): try \(.crs) "
        + "EPSG:4326"
    }
    return nil
  }
}

extension RasterIdentifier {
  /// How many of some points lie on a raster; no tile is read.
  fileprivate func countOn(_ raster: Int, x: [Double], y: [Double]) -> Int {
    let request = sampler.requests[raster]
    let status = TrivialBuffer<UInt8>([SampleStatus.ok.rawValue])
    return x.indices.count { index in
      var survey = sampler.makeSurvey()
      let (px, py) = (TrivialBuffer([x[index]]), TrivialBuffer([y[index]]))
      self.survey(
        PointCoordinates(x: px.base, y: py.base, status: status.base, count: 1), into: &survey)
      return survey.cost(of: request, at: raster).tiles > 0
    }
  }
}
