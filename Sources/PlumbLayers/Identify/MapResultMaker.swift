import PlumbCore
import PlumbRaster

/// Creates a map's results from the answers to a batch of points. Must be used by one thread at a
/// time.
package final class MapResultMaker {
  private let nodes: [LayerNode]
  private let features: [FeatureQuery]
  private let remotes: [RemoteQuery]
  private let rasters: IdentifyResultMaker?
  private let options: IdentifyOptions

  init(
    nodes: [LayerNode], features: [FeatureQuery], remotes: [RemoteQuery],
    rasters: RasterIdentifier?, options: IdentifyOptions
  ) throws {
    (self.nodes, self.features, self.options) = (nodes, features, options)
    self.remotes = remotes
    self.rasters = try rasters.map { try IdentifyResultMaker($0) }
  }

  /// Returns the results at one point of a batch, with the topmost layer first.
  ///
  /// - Parameters:
  ///   - row: the index of the point in the batch.
  ///   - answers: the answers, with provenance, to a batch that contains the point `row`.
  ///   - x: the easting or longitude of that point.
  ///   - y: the northing or latitude of that point.
  package func results(
    at row: Int, of answers: MapAnswers, x: Double, y: Double
  ) -> [IdentifyLayerResult] {
    nodes.compactMap { result(of: $0, at: row, answers, SIMD2(x, y)) }
  }

  private func result(
    of node: LayerNode, at row: Int, _ answers: MapAnswers, _ point: SIMD2<Double>
  ) -> IdentifyLayerResult? {
    var result = IdentifyLayerResult(layerContent: node.content, error: node.error)
    switch node.leaf {
    case .none:
      result.sublayerResults = node.children.compactMap {
        self.result(of: $0, at: row, answers, point)
      }
    case .raster(let index):
      guard let rasterResult = rasters?.result(of: index, at: row, answers.rasters, x: point.x)
      else {
        return nil
      }
      result.geoElements = rasterResult.geoElements
      if let date = node.date {
        result.geoElements = result.geoElements.map { $0.dated(date) }
      }
      result.foundCount = rasterResult.geoElements.count
      result.error = rasterResult.error
    case .features(let index):
      features[index].fill(
        &result, at: row, answers.features[index], point,
        keepsShapes: !options.returnPopupsOnly || node.expressions?.readsFeature == true)
    case .remote(let index): remotes[index].fill(&result, answers.remotes[index][row])
    }
    if let popup = node.popup {
      var attachments: [Int64: [Attachment]] = [:]
      if case .features(let index) = node.leaf { attachments = answers.features[index].attachments }
      result.popups = result.geoElements.map { element in
        var made = popup.popup(
          of: element.namedValues, expressions: node.expressions?.texts(of: element) ?? [])
        if !attachments.isEmpty, case .feature(let found) = element, let id = found.feature.id {
          made.attachments = attachments[id] ?? []
        }
        return made
      }
    }
    if options.returnPopupsOnly { result.geoElements = [] }
    return result.isEmpty ? nil : result
  }
}

extension GeoElement {
  /// The element with the date of its raster as an attribute.
  fileprivate func dated(_ date: String) -> GeoElement {
    guard case .cell(var cell) = self else { return self }
    cell.attributes.append(("Date", .text(date)))
    return .cell(cell)
  }

  /// All attributes by name.
  fileprivate var namedValues: [(name: String, value: FieldValue)] {
    switch self {
    case .feature(let feature): feature.attributes
    case .cell(let cell): cell.attributes.map { ($0.name, $0.value.writtenValue) }
    }
  }
}

extension RasterCell.Value {
  fileprivate var writtenValue: FieldValue {
    switch self {
    case .null: .null
    case .text(let text): .text(text)
    case .real(let real): .real(real)
    case .cell(let value): value.fieldValue(isJSON: true)
    }
  }
}
