import PlumbCore
import PlumbRaster

/// Creates identify results with footprints from the answers to a batch of points.
package final class IdentifyResultMaker {
  private let identifier: RasterIdentifier
  private let outliner: CellOutliner

  package init(_ identifier: RasterIdentifier) throws {
    self.identifier = identifier
    outliner = try CellOutliner(identifier)
  }

  /// Returns the results at one point of a batch, one for each raster that contains the point or
  /// cannot be read at the point.
  ///
  /// - Parameters:
  ///   - answers: the answers, with provenance, to a batch that contains the point `index`.
  ///   - x: the x of the point. A footprint in degrees is shifted by whole periods to contain the
  ///     point.
  package func results(
    at index: Int, of answers: [RasterAnswer], x: Double? = nil
  ) -> [IdentifyLayerResult] {
    answers.indices.compactMap { result(of: $0, at: index, answers, x: x) }
  }

  /// Returns the result of one raster; nil if the point is outside the raster.
  func result(
    of number: Int, at index: Int, _ answers: [RasterAnswer], x: Double?
  ) -> IdentifyLayerResult? {
    let (request, answer) = (identifier.sampler.requests[number], answers[number])
    let name = request.raster.name
    var result = IdentifyLayerResult(
      layerContent: IdentifyLayerResult.LayerContent(id: name, name: name, type: "raster"))
    let status = answer.columns.map { $0.status(at: index) }
    result.error = status.lazy.compactMap { Self.failure(of: $0) }.first
    if status.allSatisfy({ $0 == .outside || Self.failure(of: $0) != nil }) {
      return result.error == nil ? nil : result
    }
    result.geoElements = [.cell(cell(of: number, at: index, request, answer, status, x: x))]
    return result
  }

  /// The failure of a raster at a point with this status; nil if the point was read, or the raster
  /// has no value at the point.
  package static func failure(of status: SampleStatus) -> LayerError? {
    switch status {
    case .ok, .nodata, .masked, .outside: nil
    case .transformFailed, .readError, .badPoint, .badTime, .noValid:
      LayerError(
        code: FailureCode(rawValue: status.name) ?? .failed, message: status.explanation)
    }
  }

  private func cell(
    of number: Int, at index: Int, _ request: RasterSampler.Request, _ answer: RasterAnswer,
    _ status: [SampleStatus], x: Double?
  ) -> RasterCell {
    let member = max(0, Int(answer.provenance?.member[index] ?? 0))
    let source = request.raster.members[member]
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
    // Some sources do not report the cell.
    let outline =
      column >= 0
      ? outliner.outline(number, member: member, column: column, row: row, x: x) : nil
    return RasterCell(
      attributes: attributes, status: status, row: row, column: column, file: source.path,
      footprint: outline.map { outline in
        [0, 1, 2, 3, 0].map { (outline.x[$0], outline.y[$0]) }
      } ?? [])
  }
}

extension Band {
  /// The value with scale and offset applied; nil if the value is complex.
  package func scaled(_ value: CellValue) -> Double? {
    value.real.map { $0 * scale + offset }
  }
}

extension SampleStatus {
  /// The reason why a layer has no value at a point with this status.
  var explanation: String {
    switch self {
    case .transformFailed: "the point cannot be transformed to the layer's CRS"
    case .readError: "the tile that holds the cell cannot be read"
    case .badTime: "the row has no usable time"
    case .noValid: "no date within the window has a valid value"
    default: "the row has no usable point"
    }
  }
}
