import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbLayers
import PlumbRaster

extension BatchIdentify {
  /// A line for the user when the points look as if x and y had been exchanged: latitudes beyond 90
  /// degrees where longitudes are none, or points of which nearly all lie off a raster that they
  /// would lie on the other way round. Nil else.
  func swapHint(_ summary: Summary) -> String? {
    let advice = "x and y look exchanged" + columnAdvice + ": "
    let samples = extent.samples
    let beyond = samples.y.count { $0.magnitude > 90 }
    if let reference = source.reference, reference.isGeographic, beyond * 2 > samples.y.count,
      samples.x.allSatisfy({ $0.magnitude <= 90 })
    {
      return advice + "latitudes span \(extent.y.lowerBound)…\(extent.y.upperBound), longitudes "
        + "\(extent.x.lowerBound)…\(extent.x.upperBound) degrees"
    }
    guard let identifier = source.rasters else { return nil }
    for (index, counts) in summary.statuses.enumerated() {
      let asked = summary.rows - (counts[.badPlace] ?? 0)
      let off = (counts[.outside] ?? 0) + (counts[.transformFailed] ?? 0)
      guard off > 0, off * 10 >= asked * 9 else { continue }
      let found = identifier.countOn(index, x: samples.y, y: samples.x)
      let own = identifier.countOn(index, x: samples.x, y: samples.y)
      guard found * 2 > samples.x.count, found > own else { continue }
      let name = rasters[index].name.printable
      return advice + "\(off) of \(asked) points lie off \(name), and the other way round "
        + "\(found) of \(samples.x.count) that were tried lie on it"
    }
    return nil
  }

  /// Which columns were taken, in words.
  private var columnAdvice: String {
    guard case .delimited(_, let columns) = input.kind, !columns.isWKT else { return "" }
    let names = input.fields.map(\.name.printable)
    return " (x is longitude or easting; it was read from the column \(names[columns.x]), y from "
      + "\(names[columns.y]); try --x \(names[columns.y]) --y \(names[columns.x]))"
  }
}

extension RasterIdentifier {
  /// How many of some points lie on a raster; no tile is read.
  fileprivate func countOn(_ raster: Int, x: [Double], y: [Double]) -> Int {
    let request = sampler.requests[raster]
    let status = TrivialBuffer<UInt8>([PlaceStatus.ok.rawValue])
    return x.indices.count { index in
      var survey = sampler.makeSurvey()
      let (px, py) = (TrivialBuffer([x[index]]), TrivialBuffer([y[index]]))
      self.survey(
        PlaceCoordinates(x: px.base, y: py.base, status: status.base, count: 1), into: &survey)
      return survey.cost(of: request, at: raster).tiles > 0
    }
  }
}
