import PlumbLayers

/// What a web map says of the sublayers of a map image layer.
package struct SublayerOverrides {
  /// The visible ones; nil leaves that to the service.
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
        throw member.fault("the sublayer \(id) is there twice")
      }
    }
  }

  /// What it says of one sublayer.
  package func settings(of id: Int64) throws(DocumentFault) -> LayerSettings? {
    guard let node = nodes[id] else { return nil }
    return try LayerSettings(node)
  }

  /// Whether it shows or hides one sublayer by name.
  package func isVisible(_ id: Int64) throws(DocumentFault) -> Bool? {
    guard let node = nodes[id] else { return nil }
    return try node.firstMember("visibility", "defaultVisibility")?.flag()
  }
}
