import PlumbCore

/// Why a layer, a map or a query cannot answer: a word for scripts and a line for people.
public struct LayerError: PlumbFailure, Hashable {
  /// `bad_point` belongs to one place; `transform_failed` and `read_error` to a place or a whole
  /// layer; `load_failed`, `no_reference`, `bad_condition`, `bad_layer` and `no_popups` to a layer;
  /// `bad_query` to a query.
  public var code: String
  public var message: String

  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
