import Plumb
import PlumbDrawing
import PlumbVerbs

/// Handles `export` of a map service.
struct MapExport {
  let service: MapService

  func content(
    _ parameters: Parameters, _ form: ReplyForm, href: String
  ) throws -> ReplyContent {
    var request = try PictureRequest(
      parameters, reference: service.reference, scale: parameters.number("mapScale"))
    if let angle = try parameters.number("rotation") {
      guard abs(angle) <= 1e6 else {
        throw ServiceError("'rotation' parameter is invalid: expected degrees")
      }
      request.view.rotation = angle
    }
    let shown = try LayerChoice(service: service).shown(parameters.word("layers"))
    let filters = try filters(parameters)
    let moment = try moment(parameters)
    return try request.content(
      form, href: href, cache: service.cache, service.settings
    ) { painter in
      painter.shown = shown
      painter.filters = filters
      painter.moment = moment
      painter.draw(service.map)
    }
  }

  /// The time at which layers with dates are drawn: that of the parameter `date` or `time`; nil for their last
  /// dates.
  ///
  /// - Throws: for text that is not a date, for both parameters, and for `date` if no layer has dates.
  private func moment(_ parameters: Parameters) throws -> RasterMoment? {
    let time = try parameters.time()
    guard let text = parameters.word("date") else { return time?.moment }
    guard time == nil else {
      throw ServiceError("'date' and 'time' parameters cannot be combined; leave one of them out")
    }
    let moment = try RasterMoment(.date, text)
    guard service.images.contains(where: { (try? $0.dates()) != nil }) else {
      throw ServiceError("'date' parameter is not supported: no layer has dates; leave it out")
    }
    return moment
  }

  /// Reads, for each layer, the condition in `layerDefs` and the time span in `time`.
  private func filters(
    _ parameters: Parameters
  ) throws -> [ObjectIdentifier: @Sendable ([FieldValue]) -> Bool] {
    var filters: [ObjectIdentifier: @Sendable ([FieldValue]) -> Bool] = [:]
    for (number, text) in try LayerConditions.read(parameters, of: service) {
      let layer = service.layers[number]
      let bound: BoundCondition
      do {
        bound = try Condition(text).bound(to: try service.rows(of: layer).table.fields)
      } catch let error as ExpressionError {
        throw ServiceError(
          "'layerDefs' parameter is invalid: \(error.message)", kind: .badCondition)
      }
      filters[ObjectIdentifier(layer.layer)] = { bound.isTrue($0) }
    }
    guard let time = try parameters.time() else { return filters }
    for (layer, field) in try service.timeFields() {
      let id = ObjectIdentifier(layer.layer)
      let former = filters[id]
      filters[id] = { attributes in
        guard case .text(let text)? = attributes[safe: field],
          let moment = EsriField.milliseconds(text), time.contains(moment)
        else { return false }
        return former?(attributes) ?? true
      }
    }
    return filters
  }
}
