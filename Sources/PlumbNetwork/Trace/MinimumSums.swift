import HeapModule
import PlumbCore

/// The least sums of a network attribute over the paths from a start.
struct MinimumSums {
  /// A sum, and the number of steps, which decides between equal sums.
  struct Cost: Comparable {
    var sum: Double
    var steps: Int

    static func < (a: Cost, b: Cost) -> Bool {
      a.sum != b.sum ? a.sum < b.sum : a.steps < b.steps
    }
  }

  /// A path to a node; at equal cost, the node with the lower number is first.
  private struct Entry: Comparable {
    var cost: Cost
    var node: UInt32

    static func < (a: Entry, b: Entry) -> Bool {
      a.cost != b.cost ? a.cost < b.cost : a.node < b.node
    }
  }

  private let flood: Flood
  private let view: TraceView
  private let network: UtilityNetwork
  private let attribute: Int

  init(_ flood: Flood, _ attribute: Int) {
    self.flood = flood
    view = flood.view
    network = flood.network
    self.attribute = attribute
  }

  /// Returns a span's share of its edge's value; nil for an edge without a value.
  ///
  /// - Throws: `badParameters` for a value below 0.
  func cost(span: Int) throws(NetworkError) -> Double? {
    let edge = network.junctionCount + view.edge(span)
    guard let value = network.number(attribute, edge) else { return nil }
    guard value >= 0 else {
      throw NetworkError(
        .badParameters,
        "\(network.names.name(edge)): the cost \(value) is negative: the least sum is undefined")
    }
    let range = view.range(span)
    return value * (range.upperBound - range.lowerBound)
  }

  /// Returns the costs of the paths from some nodes over the steps that a rule permits. Junctions
  /// have no cost.
  ///
  /// - Parameter costless: receives the edges that were skipped because they have no cost.
  func sums(
    _ starts: [UInt32], _ rule: FloodRule, until target: UInt32?, _ costless: inout Set<Int>
  ) throws(NetworkError) -> [UInt32: Cost] {
    var known: [UInt32: Cost] = [:]
    var final: Set<UInt32> = []
    var heap = Heap<Entry>()
    for start in starts {
      known[start] = Cost(sum: 0, steps: 0)
      heap.insert(Entry(cost: Cost(sum: 0, steps: 0), node: start))
    }
    var failure: NetworkError?
    while let entry = heap.popMin() {
      guard final.insert(entry.node).inserted else { continue }
      if entry.node == target { break }
      let from = Int(entry.node)
      if !starts.contains(entry.node), flood.stops(node: from, rule) { continue }
      let isController = flood.barriers.isStoppingController(from)
      view.forEachStep(from) { step in
        guard flood.mayPass(step, from, isController, rule) else { return }
        var next = Cost(sum: entry.cost.sum, steps: entry.cost.steps + 1)
        if step.span >= 0 {
          if flood.barriers.checksSpans, flood.stops(span: step.span, rule) { return }
          do throws(NetworkError) {
            guard let cost = try cost(span: step.span) else {
              costless.insert(view.edge(step.span))
              return
            }
            next.sum += cost
          } catch { failure = error }
        }
        let target = UInt32(step.target)
        if let old = known[target], old <= next { return }
        known[target] = next
        heap.insert(Entry(cost: next, node: target))
      }
      if let failure { throw failure }
    }
    return known
  }

  /// Returns a message about edges skipped because they have no cost; nil if there are none.
  func costlessEdges(_ costless: Set<Int>, _ attribute: String) -> String? {
    let names = costless.map { network.names.name(network.junctionCount + $0) }
    guard let name = names.min() else { return nil }
    return costless.count == 1
      ? "\(name) has no \(attribute.printable): it was skipped"
      : "\(costless.count) edges have no \(attribute.printable), among them \(name): they "
        + "were skipped"
  }
}
