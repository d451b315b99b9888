import Plumb
import PlumbIO

/// Answers what lies below `{name}/FeatureServer` of a network.
struct NetworkFeatureServer {
  private let service: NetworkService

  init(_ service: NetworkService) { self.service = service }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    throw ServiceError.notFound("Invalid URL")
  }
}
