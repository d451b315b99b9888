import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The sample gas network in `rasters/`, checked with OGR, PROJ, the sample heights and Foundation.
@Suite struct SampleNetworkTests {
  @Test("every asset type of the definition has the features that README counts") func counts()
    throws
  {
    let network = try SampleNetworkReader()
    var counts: [String: Int] = [:]
    for feature in network.features { counts[feature.type, default: 0] += 1 }
    #expect(Set(counts.keys) == Set(network.types.keys))
    #expect(
      counts == [
        "9/1/1": 170, "9/1/2": 102, "9/1/3": 1, "9/2/1": 234, "9/3/1": 431, "9/3/2": 14, "9/4/1": 3,
        "10/1/1": 81, "10/1/2": 25, "10/1/3": 64, "10/1/4": 15, "10/2/1": 445, "10/2/2": 3,
        "10/2/3": 37, "12/1/1": 361, "12/1/2": 55, "12/2/1": 781, "12/3/1": 37, "11/1/1": 3,
        "3/1/1": 3, "3/1/2": 21,
      ])
    let valves = network.features.filter { $0.type == "9/1/1" }
    #expect(valves.count { $0.fields["STATUS"] == "0" } == 2)
    #expect(valves.count { $0.fields["OPERABLE"] == "0" } == 6)
    #expect(Set(network.associations.map(\.kind)) == [1, 2, 3, 4, 5, 6])
  }

  @Test("global ids are unique, object ids within their source") func ids() throws {
    let network = try SampleNetworkReader()
    #expect(Set(network.features.map(\.id)).count == network.features.count)
    for source in Set(network.features.map(\.source)) {
      let numbers = network.features.filter { $0.source == source }.map { $0.fields["OBJECTID"] }
      #expect(Set(numbers).count == numbers.count)
    }
  }

  @Test("codes, terminals, paths, categories, fields and sources are those of the definition")
  func consistent() throws {
    let network = try SampleNetworkReader()
    for (type, info) in network.types {
      #expect(info.categories.isSubset(of: network.categories), "\(type)")
      #expect(info.configuration == nil || network.configurations[info.configuration ?? 0] != nil)
    }
    for (name, configuration) in network.configurations {
      #expect(configuration.paths[configuration.defaultPath] != nil, "\(name)")
      let ends = configuration.paths.values.joined().flatMap { [$0.0, $0.1] }
      #expect(Set(ends).isSubset(of: configuration.terminals), "\(name)")
    }
    var unusual: Set<String> = []
    for feature in network.features {
      let info = try #require(network.types[feature.type], "\(feature.id)")
      if let path = feature.fields["TERMINALCONFIGURATION"] {
        let configuration = try #require(info.configuration.flatMap { network.configurations[$0] })
        #expect(configuration.paths[path] != nil && path != configuration.defaultPath)
        unusual.insert(path)
      }
      let isController = feature.fields["ISSUBNETWORKCONTROLLER"] == "1"
      #expect(isController == info.categories.contains("Subnetwork Controller"), "\(feature.id)")
      if isController {
        #expect(network.tiers.contains(try #require(feature.fields["TIERNAME"])))
        let terminal = Int(try #require(feature.fields["CONTROLLERTERMINAL"]))
        #expect(try network.terminals(of: feature.id).contains(try #require(terminal)))
      }
    }
    #expect(unusual == ["Locked off", "A and B"])
    for (source, field) in network.assignments {
      let fields = try #require(network.fieldNames[source])
      #expect(fields.contains(field), "\(source) has no \(field)")
    }
    for association in network.associations {
      for end in [association.from, association.to] {
        let feature = try #require(network.byID[end.id], "\(end.id)")
        #expect(feature.source == end.source)
        let terminals = try network.terminals(of: end.id)
        #expect(end.terminal.map(terminals.contains) ?? true, "\(end.id)")
        // Connections at a device with terminals name a terminal.
        if ![2, 3].contains(association.kind) {
          #expect(terminals.isEmpty == (end.terminal == nil), "\(end.id)")
        }
      }
      #expect((association.kind == 5) == (association.percentAlong != nil))
      #expect(association.percentAlong.map { $0 > 0 && $0 < 1 } ?? true)
    }
  }

  @Test("each end of a pipe is at one junction or device, and names its terminal if it has any")
  func ends() throws {
    let network = try SampleNetworkReader()
    var named: [String: Set<String>] = [:]
    for association in network.associations where [4, 6].contains(association.kind) {
      let end = "\(association.to.id) \(association.kind)"
      #expect(named.updateValue([association.from.id], forKey: end) == nil, "\(end) twice")
    }
    for pipe in network.features where pipe.source == 12 {
      for (kind, point) in [(4, pipe.vertices.first), (6, pipe.vertices.last)] {
        let there = network.sites[try #require(point)] ?? []
        #expect(there.count == 1, "\(pipe.id): \(there)")
        let hasTerminals = try there.contains { try !network.terminals(of: $0).isEmpty }
        #expect(named["\(pipe.id) \(kind)"] == (hasTerminals ? Set(there) : nil), "\(pipe.id)")
      }
      #expect(Set(pipe.vertices).count == pipe.vertices.count, "\(pipe.id) meets itself")
      for point in pipe.vertices.dropFirst().dropLast() {
        for id in network.sites[point] ?? [] {
          #expect(network.byID[id]?.type == "10/2/1", "\(id) lies on \(pipe.id)")
        }
      }
    }
    // Features that are not part of the graph are not in it.
    for feature in network.features where [3, 11].contains(feature.source) {
      #expect(network.sites[try #require(feature.vertices.first)] == nil, "\(feature.id)")
    }
  }

  @Test("lengths equal PROJ's, and the whole network is on land") func measures() throws {
    let network = try SampleNetworkReader()
    for pipe in network.features where pipe.source == 12 {
      let length = try GeometryEngine.length(
        of: .polyline(Polyline(VertexList(pipe.vertices), spatialReference: .wgs84)),
        measure: .geodesic())
      let written = try #require(pipe.fields["LENGTH_M"].flatMap(Double.init))
      #expect((written - length).magnitude < 0.06 + 1e-4 * length, "\(pipe.id)")
    }
    let points = network.features.flatMap(\.vertices)
    let rasters = try [Raster].open([TestPaths.rasters + "/dem"])
    let identifier = try RasterIdentifier(rasters, reference: SpatialReference("EPSG:4326"))
    let answer = identifier.sample(x: points.map(\.x), y: points.map(\.y))[0]
    for row in points.indices {
      guard case .signed(let height) = answer.columns[0][row] else { continue }
      #expect(height > 0, "\(points[row])")
    }
  }

  // MARK: Graph

  @Test(
    "the network is connected when terminals, valves and their paths conduct, and has many loops")
  func connected() throws {
    let network = try SampleNetworkReader()
    let graph = try SampleNetworkGraph(network)
    var sets = SampleNetworkGraph.Sets()
    var loops = 0
    for (from, arcs) in graph.arcs {
      // Arcs that conduct both ways occur twice.
      for arc in arcs where from < arc.node || !graph.conducts(arc.node, from) {
        if !sets.join(from, arc.node) { loops += 1 }
      }
    }
    for feature in network.features {
      let terminals = try network.terminals(of: feature.id)
      for terminal in terminals.dropFirst() {
        sets.join("\(feature.id):\(terminals[0])", "\(feature.id):\(terminal)")
      }
    }
    let nodes = try network.features.filter { [9, 10].contains($0.source) }.flatMap { feature in
      let terminals = try network.terminals(of: feature.id)
      return terminals.isEmpty ? [feature.id] : terminals.map { "\(feature.id):\($0)" }
    }
    #expect(Set(nodes.map { sets.root($0) }).count == 1)
    #expect(loops > 20)
  }

  @Test(
    "upstream of each meter are the regulators of one subnetwork; closed valves separate the two")
  func upstream() throws {
    let network = try SampleNetworkReader()
    let graph = try SampleNetworkGraph(network)
    var subnetworks: [Set<String>: Int] = [:]
    for meter in network.features where ["9/3/1", "9/3/2"].contains(meter.type) {
      let supply = graph.controllers(upstreamOf: "\(meter.id):1")
      let load = graph.controllers(upstreamOf: "\(meter.id):2")
      let isLocked = meter.fields["TERMINALCONFIGURATION"] != nil
      #expect(load == (isLocked ? [] : supply), "\(meter.id)")
      #expect(!supply.isEmpty, "\(meter.id)")
      subnetworks[supply, default: 0] += 1
    }
    #expect(Set(subnetworks.keys) == [["R0001", "R0002"], ["R0003"]])
    let names = ["R0001", "R0002", "R0003"].map { network.byID[$0]?.fields["SUBNETWORKNAME"] }
    #expect(names == ["Claremont", "Claremont", "Kenilworth"])
    #expect((subnetworks[["R0003"]] ?? 0) > 50)
  }
}
