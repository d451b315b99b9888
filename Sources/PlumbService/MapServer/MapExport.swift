import Plumb
import PlumbDrawing

/// Answers `export` of a map service.
struct MapExport {
  let service: MapService

  func content(
    _ parameters: Parameters, _ form: ReplyForm, href: String
  ) throws -> ReplyContent {
    let request = try PictureRequest(parameters, reference: service.reference)
    let shown = try LayerChoice(service: service).shown(parameters.word("layers"))
    guard parameters.word("layerDefs") == nil else {
      throw ServiceError("'layerDefs' is not supported by export")
    }
    return try request.content(
      form, href: href, cache: service.cache, workers: service.settings.workers
    ) { painter in
      painter.shown = shown
      painter.draw(service.map)
    }
  }
}
