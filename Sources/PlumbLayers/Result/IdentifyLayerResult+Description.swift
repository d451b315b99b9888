extension IdentifyLayerResult: CustomStringConvertible {
  /// One line with the layer, its type, and its number of elements or its error, followed by one line for
  /// each element (or popup, if there are no elements) and by the sublayers, indented by two spaces per
  /// level.
  ///
  /// ```text
  /// points (feature): 1
  ///   NAME: Stellenbosch, KIND: town (221.8 m)
  /// ```
  public var description: String { lines(indent: "").joined(separator: "\n") }

  private func lines(indent: String) -> [String] {
    let content = "\(layerContent.name) (\(layerContent.type))"
    let summary = error.map { "\($0.code): \($0.message)" } ?? "\(elementCount)"
    let more = isTransferLimitExceeded ? " and more" : ""
    let children = geoElements.isEmpty ? popups.map(\.title) : geoElements.map(\.description)
    return ["\(indent)\(content): \(summary)\(more)"] + children.map { indent + "  " + $0 }
      + sublayerResults.flatMap { $0.lines(indent: indent + "  ") }
  }
}
