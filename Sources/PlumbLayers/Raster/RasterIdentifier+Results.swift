import PlumbCore
import PlumbGeometry
import PlumbRaster

/// Turns rows of a batch's answers into identify results, footprints and all.
package final class IdentifyResultMaker {
  private let identifier: RasterIdentifier
  private var readers: [String: any TileReader] = [:]
  /// From each of the rasters' references back to the points'; nil where they are the same.
  private var returns: [Transformation?] = []

  package init(_ identifier: RasterIdentifier) throws {
    self.identifier = identifier
    returns = try identifier.rasterReferences.map { target in
      guard let source = identifier.reference, let target, target.isGeoreferenced,
        !source.isEquivalent(to: target)
      else { return nil }
      return try Transformation(from: target, to: source)
    }
  }

  /// The results at one point of a batch, one for each raster that holds it or fails there.
  ///
  /// - Parameters:
  ///   - answers: made with provenance, for a batch that has a point `index`.
  ///   - x: that point's. Footprints of cells in degrees are then drawn round it, not a period
  ///     away.
  package func results(
    at index: Int, of answers: [RasterAnswer], x: Double? = nil
  ) -> [IdentifyLayerResult] {
    answers.indices.compactMap { result(of: $0, at: index, answers, x: x) }
  }

  /// The result of one raster; nil when the point lies off it.
  func result(
    of request: Int, at index: Int, _ answers: [RasterAnswer], x: Double?
  ) -> IdentifyLayerResult? {
    let (request, answer) = (identifier.sampler.requests[request], answers[request])
    let name = request.raster.name
    var result = IdentifyLayerResult(
      layerContent: IdentifyLayerResult.LayerContent(id: name, name: name, type: "raster"))
    let status = answer.columns.map { $0.status(at: index) }
    if let reason = status.first(where: Self.isFailure) {
      result.error = LayerError(
        code: FailureCode(rawValue: reason.name) ?? .failed, message: reason.explanation)
    }
    if status.allSatisfy({ $0 == .outside || Self.isFailure($0) }) {
      return result.error == nil ? nil : result
    }
    result.geoElements = [.cell(cell(at: index, request, answer, status, x: x))]
    return result
  }

  private static func isFailure(_ status: SampleStatus) -> Bool {
    switch status {
    case .transformFailed, .readError, .badPoint: true
    default: false
    }
  }

  private func cell(
    at index: Int, _ request: RasterSampler.Request, _ answer: RasterAnswer,
    _ status: [SampleStatus], x: Double?
  ) -> RasterCell {
    let raster = request.raster
    let member = Int(answer.provenance?.member[index] ?? 0)
    let source = raster.members[max(0, member)]
    let (column, row) = (
      Int(answer.provenance?.column[index] ?? -1), Int(answer.provenance?.row[index] ?? -1)
    )
    var attributes: [(name: String, value: RasterCell.Value)] = []
    if let first = request.bands.first {
      attributes.append(
        ("Pixel.Type", .text(source.profile.bands[first].pixelType.name)))
    }
    for (band, values) in zip(request.bands, answer.columns) {
      attributes.append(("Band_\(band)", values[index].map { .cell($0) } ?? .null))
    }
    for (band, values) in zip(request.bands, answer.columns) {
      let facts = source.profile.bands[band]
      let value = values[index]
      if facts.isScaled {
        attributes.append(
          ("Scaled_\(band)", value.flatMap { facts.scaled($0) }.map { .real($0) } ?? .null))
      }
      if let name = value?.real.flatMap({ facts.classes?.name(of: $0) }) {
        attributes.append(("Class_\(band)", .text(name)))
      }
      if !facts.unit.isEmpty { attributes.append(("Unit_\(band)", .text(facts.unit))) }
    }
    return RasterCell(
      attributes: attributes, status: status, row: row, column: column, file: source.path,
      footprint: footprint(
        source, raster, member: max(0, member), column: column, row: row, x: x))
  }

  private func footprint(
    _ source: any TileSource, _ raster: Raster, member: Int, column: Int, row: Int,
    x point: Double?
  ) -> [(x: Double, y: Double)] {
    let (left, top) = (Double(column), Double(row))
    var corners = [(left, top + 1), (left + 1, top + 1), (left + 1, top), (left, top)]
    var x: [Double]
    var y: [Double]
    switch source.profile.mapping {
    case .affine(let transform):
      let c = transform.coefficients
      if c[1] * c[5] - c[2] * c[4] > 0 { corners.reverse() }
      let points = corners.map { transform.coordinates(column: $0.0, row: $0.1) }
      (x, y) = (points.map(\.x), points.map(\.y))
    case .source:
      (x, y) = (corners.map(\.0), corners.map(\.1))
      do {
        let reader = try readers[source.path] ?? source.makeReader()
        readers = [source.path: reader]
        unsafe try reader.mapFromGrid(x: &x, y: &y, count: 4)
      } catch {
        return []
      }
    }
    let reference = identifier.sampler.references.firstIndex(
      of: raster.references[raster.memberReferences[member]])
    if let reference, let transformation = returns[reference] {
      unsafe transformation.apply(x: &x, y: &y, count: 4)
    }
    guard x.allSatisfy(\.isFinite), y.allSatisfy(\.isFinite) else { return [] }
    if let point, let low = x.min(), let high = x.max(), point < low || point > high,
      let period = identifier.reference?.period
    {
      let shift = ((point - (low + high) / 2) / period).rounded() * period
      x = x.map { $0 + shift }
    }
    return zip(x, y).map { ($0, $1) } + [(x[0], y[0])]
  }
}

extension Band {
  /// The value with scale and offset applied; nil when it is complex.
  package func scaled(_ value: CellValue) -> Double? {
    value.real.map { $0 * scale + offset }
  }
}

extension SampleStatus {
  /// Why a layer cannot answer at a point of this status.
  var explanation: String {
    switch self {
    case .transformFailed: "the point has no counterpart in the layer's reference"
    case .readError: "the tile that holds the cell cannot be read"
    default: "the row has no usable point"
    }
  }
}
