import Foundation
import Plumb
import PlumbTestSupport
import Testing

// Sample begins
/// The valves that isolate a customer's meter: Esri's sample "Run valve isolation trace", without a
/// user interface. The start is fixed; filter barriers are a category, or features tapped on the map.
struct ValveIsolationModel {
  let network: OpenedNetwork
  let map: Map
  let start: TraceLocation
  private(set) var filterBarriers: [TraceLocation] = []

  init(network: OpenedNetwork, map: Map, meter: String) throws {
    self.network = network
    self.map = map
    start = try ElementReference(network.network).start("\(meter):Load")
  }

  /// The tapped features with their global ids, their locations in the network, and the terminals to choose from.
  func tapped(
    at point: Point, tolerance: Double
  ) throws -> [(id: String, found: OpenedNetwork.IdentifiedLocation)] {
    let results = try map.identifyLayers(
      at: point,
      IdentifyOptions(tolerance: .pixels(tolerance), scale: 1000, maximumResultsPerLayer: nil))
    return try features(in: results).map { feature in
      let id = feature.attributes.first { $0.name == "GLOBALID" }
      guard case .text(let id)? = id?.value else { throw PlumbError("a feature without an id") }
      return (id, try network.location(of: feature, near: point))
    }
  }

  private func features(in results: [IdentifyLayerResult]) -> [IdentifiedFeature] {
    results.flatMap { result in
      let directFeatures = result.geoElements.compactMap { element -> IdentifiedFeature? in
        guard case .feature(let feature) = element else { return nil }
        return feature.attributes.contains { $0.name == "GLOBALID" } ? feature : nil
      }
      return directFeatures + features(in: result.sublayerResults)
    }
  }

  mutating func addFilterBarrier(_ location: TraceLocation) { filterBarriers.append(location) }

  mutating func reset() { filterBarriers = [] }

  /// Traces with the tapped barriers, or with a category if there are none.
  func trace(category: String, includesIsolated: Bool) throws -> UtilityTraceResult {
    let domain = network.network.definition.domainNetworks.first { $0.name == "Pipeline" }
    let tier = domain?.tiers.first { $0.name == "Pipe Distribution System" }
    var configuration = tier?.traceConfiguration ?? TraceConfiguration()
    configuration.includeIsolatedFeatures = includesIsolated
    configuration.filter = TraceFilter(
      barriers: filterBarriers.isEmpty ? .category(category) : nil)
    var parameters = UtilityTraceParameters(.isolation, startingLocations: [start])
    parameters.filterBarriers = filterBarriers
    parameters.domainNetwork = domain?.name
    parameters.tier = tier?.name
    parameters.traceConfiguration = configuration
    return try network.network.trace(parameters)
  }
}
// Sample ends

@Suite struct ValveIsolationSampleTests {
  private func model() throws -> ValveIsolationModel {
    try ValveIsolationModel(
      network: OpenedNetwork.open(path: TestPaths.root + "/rasters/gas.json"),
      map: Map.open(path: TestPaths.root + "/rasters/cape.json"), meter: "M0054")
  }

  private func ids(
    _ barriers: [IsolationBarrier]?, _ model: ValveIsolationModel
  ) -> [String] {
    (barriers ?? []).map { model.network.network.globalID(of: $0.location.element) }
  }

  /// The expected sets are from a search over all subsets that does not use this project's code.
  @Test func `a category isolates the meter by the smallest set`() throws {
    let model = try model()
    let result = try model.trace(category: "Isolating", includesIsolated: true)
    #expect(result.isSuccess)
    #expect(ids(result.isolation?.isolating, model) == ["V0031", "V0045", "V0049"])
    #expect(ids(result.isolation?.boundingOnly, model) == ["V0047", "V0048", "V0064"])
    #expect(result.isolation?.lost.reduce(0) { $0 + $1.count } == 113)
    let whole = try model.trace(category: "Subnetwork Controller", includesIsolated: false)
    #expect(ids(whole.isolation?.isolating, model) == ["R0003"])
  }

  /// For a tapped device with several terminals, the terminal has to be chosen; for a tapped pipe,
  /// the nearest point is used.
  @Test func `tapped features become filter barriers`() throws {
    var model = try model()
    let meter = try #require(
      model.tapped(at: Point(x: 18.466025, y: -33.991658), tolerance: 1)
        .first { $0.id == "M0054" })
    #expect(meter.found.terminals.map(\.name) == ["Supply", "Load"])
    #expect(try meter.found.at(terminal: "load") == model.start)
    #expect(throws: NetworkError.self) { try meter.found.at(terminal: "Middle") }
    for id in ["V0031", "V0045", "V0049"] {
      let element = try model.network.network.element(globalID: id)
      let point = try #require(model.network.network.point(of: element))
      let taps = try model.tapped(at: Point(x: point.x, y: point.y), tolerance: 2)
      let valve = try #require(taps.first { $0.id == id })
      #expect(valve.found.terminals.isEmpty)
      model.addFilterBarrier(valve.found.location)
    }
    let result = try model.trace(category: "Isolating", includesIsolated: false)
    #expect(ids(result.isolation?.isolating, model) == ["V0031", "V0045", "V0049"])
    model.reset()
    #expect(model.filterBarriers.isEmpty)
  }

  /// Rule: segments are the parts between valves; assemblies and structures are not included.
  @Test func `segments omit elements that conduct no flow`() throws {
    let network = try model().network.network
    let segments = try network.segments(filterBarriers: .category("Isolating"))
    var sources: Set<Int> = []
    for segment in 0..<segments.count {
      #expect(!segments.edges(of: segment).isEmpty)
      sources.formUnion(segments.junctions(of: segment).map { network.sourceID(of: $0) })
    }
    let usages = network.definition.domainNetworks.flatMap(\.sources)
      .filter { sources.contains($0.id) }.map(\.usage)
    #expect(Set(usages) == [.device, .junction])
  }

  @Test func `a tapped pipe is located at the nearest fraction`() throws {
    let model = try model()
    let network = model.network.network
    let pipe = try #require(
      network.elements.first {
        network.isEdge($0) && network.vertices(of: $0).count == 2
          && network.globalID(of: $0).hasPrefix("P")
      })
    let ends = Array(network.vertices(of: pipe))
    let point = ends[0] + (ends[1] - ends[0]) * 0.25
    let taps = try model.tapped(at: Point(x: point.x, y: point.y), tolerance: 5)
    let found = try #require(taps.first { $0.id == network.globalID(of: pipe) })
    let fraction = try #require(found.found.location.fractionAlongEdge)
    #expect((fraction - 0.25).magnitude < 1e-6)
  }
}
