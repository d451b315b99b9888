import PlumbCore
import PlumbGeometry
import PlumbRaster

/// A remote layer, prepared for queries at locations.
public final class RemoteQuery {
  /// The queried layer.
  public let layer: RemoteLayer
  let reference: SpatialReference?
  private let options: IdentifyOptions
  /// The transformation to the points' CRS, in which shapes are returned; nil if shapes are not transformed.
  private let toPoints: Transformation?
  private let pointReference: SpatialReference?
  private let failure: LayerError?

  /// - Parameters:
  ///   - layer: a loaded layer.
  ///   - reference: the CRS of the points.
  init(_ layer: RemoteLayer, options: IdentifyOptions, reference: SpatialReference?) {
    (self.layer, self.options, pointReference) = (layer, options, reference)
    let layerReference = layer.source?.reference ?? reference
    self.reference = layerReference
    var failure: LayerError?
    var toPoints: Transformation?
    do throws(GeometryError) {
      if let layerReference, let reference, !layerReference.isEquivalent(to: reference) {
        toPoints = try Transformation(from: layerReference, to: reference)
      }
    } catch {
      failure = LayerError(code: .transformFailed, error)
    }
    (self.toPoints, self.failure) = (toPoints, failure)
  }

  /// Returns a copy for another thread.
  func copy() -> RemoteQuery { RemoteQuery(layer, options: options, reference: pointReference) }

  /// Queries the layer at a batch of points, which the caller has transformed to the layer's CRS.
  func answers(to points: PointCoordinates) -> [RemoteLayer.Answer] {
    var answers = Array(repeating: RemoteLayer.Answer(), count: points.count)
    var rows: [Int] = []
    var queriedPoints: [SIMD2<Double>] = []
    for row in 0..<points.count {
      let status = unsafe points.status.map { unsafe SampleStatus(rawValue: $0[row]) } ?? .ok
      guard let status, status != .ok else {
        rows.append(row)
        unsafe queriedPoints.append(SIMD2(points.x[row], points.y[row]))
        continue
      }
      answers[row].error = LayerError(
        code: FailureCode(rawValue: status.name) ?? .failed, message: status.explanation)
    }
    guard !rows.isEmpty, let source = layer.source else { return answers }
    if let failure {
      for row in rows { answers[row].error = failure }
      return answers
    }
    let question = RemoteLayer.Question(
      maximumResults: options.maximumResultsPerLayer, scale: options.scale)
    for (row, answer) in zip(rows, source.ask(queriedPoints, question)) { answers[row] = answer }
    return answers
  }

  /// Fills the result with the layer's elements at a point.
  func fill(_ result: inout IdentifyLayerResult, _ answer: RemoteLayer.Answer) {
    result.error = answer.error
    result.foundCount = answer.elements.count
    let count = min(answer.elements.count, options.maximumResultsPerLayer ?? .max)
    result.isTransferLimitExceeded = answer.isCut || count < answer.elements.count
    result.geoElements = answer.elements.prefix(count).map { projected($0) }
  }

  private func projected(_ element: GeoElement) -> GeoElement {
    guard let toPoints, let pointReference else { return element }
    switch element {
    case .feature(var found):
      found.feature.geometry = found.feature.geometry.flatMap {
        try? toPoints.project($0, to: pointReference)
      }
      return .feature(found)
    case .cell(var cell):
      var (x, y) = (cell.footprint.map(\.x), cell.footprint.map(\.y))
      unsafe toPoints.apply(x: &x, y: &y, count: x.count)
      let isFinite = (x + y).allSatisfy(\.isFinite)
      cell.footprint = isFinite ? zip(x, y).map { ($0, $1) } : []
      return .cell(cell)
    }
  }
}
