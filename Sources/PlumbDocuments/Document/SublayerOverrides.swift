import PlumbLayers

/// Overrides in a web map for the sublayers of a map image layer.
struct SublayerOverrides {
  /// The ids of visible sublayers; nil leaves visibility to the service.
  package private(set) var visible: Set<Int64>?
  private var nodes: [Int64: DocumentNode] = [:]

  /// - Parameter node: the operational layer, with `visibleLayers` and `layers`.
  package init(_ node: DocumentNode) throws(DocumentFault) {
    if let list = try node.elements("visibleLayers") {
      var ids: Set<Int64> = []
      for id in list { ids.insert(try id.integer()) }
      visible = ids
    }
    for entry in try node.elements("layers") ?? [] {
      let member = try entry.required("id", "a whole number")
      let id = try member.integer()
      guard nodes.updateValue(entry, forKey: id) == nil else {
        throw member.fault("the sublayer \(id) is listed twice")
      }
    }
  }

  /// The overrides of a sublayer.
  package func settings(of id: Int64) throws(DocumentFault) -> LayerSettings? {
    guard let node = nodes[id] else { return nil }
    return try LayerSettings(node)
  }

  /// Whether the sublayer is explicitly shown or hidden; nil if the web map does not specify this.
  package func isVisible(_ id: Int64) throws(DocumentFault) -> Bool? {
    guard let node = nodes[id] else { return nil }
    return try node.firstMember("visibility", "defaultVisibility")?.flag()
  }
}
