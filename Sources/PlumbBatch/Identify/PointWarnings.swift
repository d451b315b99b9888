import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// Detects misread points from their coordinates: latitudes beyond a pole, and x and y that look swapped.
package struct PointWarnings {
  private let x: [Double]
  private let y: [Double]
  private let reference: SpatialReference?

  /// - Parameters:
  ///   - x: the eastings or longitudes of the points, or of a sample of them.
  ///   - y: the northings or latitudes of the same points.
  ///   - reference: the CRS of the points.
  package init(x: [Double], y: [Double], reference: SpatialReference?) {
    (self.x, self.y, self.reference) = (x, y, reference)
  }

  /// The points beyond a pole; empty if the CRS is not geographic.
  private var beyond: [Int] {
    guard let pole else { return [] }
    return y.indices.filter { y[$0].magnitude > pole }
  }

  /// The latitude of a pole in the CRS's unit.
  private var pole: Double? {
    guard let reference, reference.isGeographic else { return nil }
    return 90 * (SpatialReference.Unit.degree.factor / reference.unit.factor) * (1 + 1e-12)
  }

  /// Whether most points are beyond a pole, and exchanging their x and y would give valid
  /// latitudes.
  private var isExchangedByLatitude: Bool {
    let beyond = beyond
    guard let pole, !beyond.isEmpty, beyond.count * 2 > y.count else { return false }
    return beyond.allSatisfy { x[$0].magnitude <= pole }
  }

  /// Returns warnings about points that were given one by one, not in a file.
  ///
  /// - Parameters:
  ///   - rasters: the rasters that were read, if any.
  ///   - answers: the results of the rasters at all points.
  ///   - map: the map that was identified, if any.
  package func warnings(
    _ rasters: RasterIdentifier? = nil, _ answers: [RasterAnswer] = [],
    of map: MapIdentifier? = nil
  ) -> [MessageTemplate] {
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
    return [hint ?? latitude.map { MessageTemplate($0) }].compactMap { $0 }
  }

  /// Returns a warning if x and y look swapped, or if points in a projected CRS look like
  /// longitudes and latitudes; nil otherwise.
  ///
  /// x and y look swapped in two cases. In the first case, latitudes exceed 90 degrees, and
  /// exchanging x and y moves points onto a raster or a feature layer. In the second case, nearly
  /// all points are outside a raster that would contain most of them with x and y swapped.
  ///
  /// - Parameters:
  ///   - columns: text about the columns used for x and y; empty if there are none.
  ///   - latitudes: text about the problem with the latitudes.
  ///   - map: the map that was identified, if any.
  ///   - off: the number of points outside each raster, out of all points. `x` and `y` may contain
  ///     only a sample of the points.
  ///   - count: the number of all points.
  func exchangeHint(
    columns: MessageTemplate = "", latitudes: String, _ rasters: RasterIdentifier?,
    of map: MapIdentifier? = nil, off: [Int], of count: Int
  ) -> MessageTemplate? {
    let start: MessageTemplate = "x and y look swapped\(columns): "
    if isExchangedByLatitude {
      return looksExchanged(rasters, map) ? "\(start)\(latitudes)" : nil
    }
    guard let rasters else { return nil }
    if let hint = degreesHint(rasters, off: off, of: count) { return hint }
    for (index, off) in off.enumerated() {
      guard off > 0, off * 10 >= count * 9 else { continue }
      let found = rasters.countOn(index, x: y, y: x)
      let current = rasters.countOn(index, x: x, y: y)
      guard found * 2 > x.count, found > current else { continue }
      let name = rasters.sampler.requests[index].raster.name.printable
      let what =
        "\(off) of \(count) \(count == 1 ? "point lies" : "points lie") outside \(name), "
        + "and with x and y swapped \(found) of \(x.count) tried "
        + (found == 1 ? "is inside" : "are inside")
      return "\(start)\(what)"
    }
    return nil
  }
}

extension PointWarnings {
  /// Returns whether a raster, or the feature layers, contain some of the points with x and y
  /// exchanged, but none of the points as given.
  private func looksExchanged(_ rasters: RasterIdentifier?, _ map: MapIdentifier?) -> Bool {
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

  /// Returns a hint if points that were assumed to be in a raster's projected CRS are outside the
  /// raster, but would be inside it as longitudes and latitudes.
  private func degreesHint(
    _ rasters: RasterIdentifier, off: [Int], of count: Int
  ) -> MessageTemplate? {
    guard rasters.usesRasterReference, let reference, reference.isGeoreferenced,
      !reference.isGeographic, !x.isEmpty, x.allSatisfy({ $0.magnitude <= 360 }),
      y.allSatisfy({ $0.magnitude <= 90 }),
      let toRaster = try? Transformation(from: .wgs84, to: reference)
    else { return nil }
    var (rasterX, rasterY) = (x, y)
    toRaster.apply(x: &rasterX, y: &rasterY, count: x.count)
    for (index, off) in off.enumerated() where off > 0 && off * 10 >= count * 9 {
      let found = rasters.countOn(index, x: rasterX, y: rasterY)
      guard found * 2 > x.count, found > rasters.countOn(index, x: x, y: y) else { continue }
      let name = rasters.sampler.requests[index].raster.name.printable
      return
        "the points look like longitudes and latitudes within \(name): try \(.crs) "
        + "EPSG:4326"
    }
    return nil
  }
}

extension RasterIdentifier {
  /// Returns the number of points on a raster, without reading tiles.
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
