import PlumbCore

/// Finds the elements of some kinds in a result that are nearest to the starts.
struct NearestElements {
  private let flood: Flood
  private let network: UtilityNetwork
  private let view: TraceView
  private let list: ElementList

  init(_ flood: Flood, _ list: ElementList) {
    self.flood = flood
    network = flood.network
    view = flood.view
    self.list = list
  }

  /// - Returns: the nearest elements of the result, and whether the requested number was found.
  /// - Throws: if the parameters are invalid.
  func find(
    _ wanted: NearestNeighbor, _ starts: [UInt32], _ marks: ResultMarks
  ) throws(NetworkError) -> (elements: [TracedElement], areAll: Bool) {
    guard wanted.count > 0 else {
      throw NetworkError(
        .badParameters, "the nearest neighbour count \(wanted.count) is not positive")
    }
    let attribute = try network.numberAttribute(wanted.costAttribute)
    var types = try network.types(wanted.assetTypes)
    for name in wanted.categories {
      let category = try network.categoryIndex(name)
      for (index, type) in network.catalog.types.enumerated()
      where type.categories.contains(category) { types[index] = true }
    }
    let sums = MinimumSums(flood, attribute)
    var costless: Set<Int> = []
    var rule = FloodRule(mark: 0)
    rule.within = Mark.result
    rule.stopsAtFilters = true
    let known = try sums.sums(starts, rule, until: nil, &costless)
    var byElement: [UInt32: Double] = [:]
    for (node, cost) in known {
      guard let junction = view.junction(Int(node)), types[network.names.type(junction)] else {
        continue
      }
      byElement[UInt32(junction)] = min(byElement[UInt32(junction)] ?? .infinity, cost.sum)
    }
    for span in marks.touchedSpans where marks.spans.has(Int(span), Mark.result) {
      let element = UInt32(network.junctionCount + view.edge(Int(span)))
      guard types[network.names.type(Int(element))] else { continue }
      for node in view.ends(Int(span)) {
        guard let cost = known[UInt32(node)] else { continue }
        byElement[element] = min(byElement[element] ?? .infinity, cost.sum)
      }
    }
    let ranks = unsafe network.index.ranks.base
    let chosen = byElement.sorted {
      unsafe $0.value != $1.value ? $0.value < $1.value : ranks[Int($0.key)] < ranks[Int($1.key)]
    }.prefix(wanted.count)
    let keeps = Set(chosen.map(\.key))
    return (
      list.elements(marks).filter { keeps.contains($0.element.index) },
      chosen.count == wanted.count
    )
  }
}
