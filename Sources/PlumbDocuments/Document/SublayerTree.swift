import PlumbCore
import PlumbLayers

/// The hierarchy of a service's flat list of sublayers.
struct SublayerTree {
  package let ids: [Int64]
  /// The direct children of each entry, in the list's order.
  package private(set) var children: [[Int]]
  /// The top-level entries, in the list's order.
  package private(set) var roots: [Int] = []
  /// All entries, each after its parent.
  package private(set) var order: [Int] = []

  /// - Throws: an error with the ids if two ids are equal, a parent or child does not exist, `parentLayerId`
  ///   and `subLayerIds` contradict each other, sublayers contain each other, or the nesting is too deep.
  package init(_ nodes: [DocumentNode]) throws(DocumentFault) {
    var ids: [Int64] = []
    var points: [Int64: Int] = [:]
    for (index, node) in nodes.enumerated() {
      let member = try node.required("id", "a whole number")
      let id = try member.integer()
      guard points.updateValue(index, forKey: id) == nil else {
        throw member.fault("two sublayers have the id \(id)")
      }
      ids.append(id)
    }
    self.ids = ids
    children = Array(repeating: [], count: nodes.count)
    let parents = try Self.parents(nodes, ids, points)
    for (index, parent) in parents.enumerated() {
      if let parent { children[parent].append(index) } else { roots.append(index) }
    }
    var level = roots
    var depth = 0
    while !level.isEmpty {
      depth += 1
      guard depth <= MapImageLayer.nestingLimit else {
        throw nodes[level[0]].fault(
          "sublayer \(ids[level[0]]) is nested deeper than \(MapImageLayer.nestingLimit) levels")
      }
      order += level
      level = level.flatMap { children[$0] }
    }
    guard order.count == nodes.count else {
      throw nodes[0].cycle(of: parents, ids, reached: order)
    }
  }

  private static func parents(
    _ nodes: [DocumentNode], _ ids: [Int64], _ points: [Int64: Int]
  ) throws(DocumentFault) -> [Int?] {
    var parents: [Int?] = Array(repeating: nil, count: nodes.count)
    // Whether the entry has a `parentLayerId`, even if the id is -1, which means no parent.
    var isParentExplicit = Array(repeating: false, count: nodes.count)
    for (index, node) in nodes.enumerated() {
      guard let member = try node.member("parentLayerId") else { continue }
      let parent = try member.integer()
      isParentExplicit[index] = true
      guard parent != -1 else { continue }
      guard let point = points[parent] else {
        throw member.fault(
          "sublayer \(ids[index]) names the parent \(parent), which does not exist")
      }
      parents[index] = point
    }
    var listed: [Int?] = Array(repeating: nil, count: nodes.count)
    var lists = Array(repeating: false, count: nodes.count)
    for (index, node) in nodes.enumerated() {
      for member in try node.elements("subLayerIds") ?? [] {
        let id = try member.integer()
        lists[index] = true
        guard let child = points[id] else {
          throw member.fault("sublayer \(ids[index]) lists \(id), which does not exist")
        }
        if let other = listed[child] {
          throw member.fault(
            other == index
              ? "sublayer \(ids[index]) lists \(id) twice"
              : "sublayers \(ids[other]) and \(ids[index]) both list \(id)")
        }
        listed[child] = index
        if isParentExplicit[child], parents[child] != index {
          let parent = parents[child].map { "\(ids[$0])" } ?? "none"
          throw member.fault(
            "sublayer \(ids[index]) lists \(id), which names \(parent) as its parent")
        }
      }
    }
    for (index, node) in nodes.enumerated() {
      if let parent = parents[index], lists[parent], listed[index] == nil {
        throw node.fault(
          "sublayer \(ids[index]) names the parent \(ids[parent]), which does not list \(ids[index])"
        )
      }
      parents[index] = parents[index] ?? listed[index]
    }
    return parents
  }
}

extension DocumentNode {
  /// The error for sublayers that contain each other.
  fileprivate func cycle(of parents: [Int?], _ ids: [Int64], reached: [Int]) -> DocumentFault {
    var isReached = Array(repeating: false, count: ids.count)
    for index in reached { isReached[index] = true }
    // Following parents from any unreached entry ends in a cycle after at most `ids.count` steps.
    var point = isReached.firstIndex(of: false) ?? 0
    for _ in ids.indices { point = parents[point] ?? point }
    var names: [String] = []
    var next = point
    repeat {
      names.append(ids[next].description)
      next = parents[next] ?? point
    } while next != point && names.count < 10
    if next != point { names.append("…") }
    return DocumentFault(
      messageTemplate: MessageTemplate(
        "\(document): layers: sublayers contain each other: "
          + names.joined(separator: " in ") + (next == point ? " in \(ids[point])" : "")),
      context: FailureContext(file: document))
  }
}
