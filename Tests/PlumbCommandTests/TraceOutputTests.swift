import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The output of `plumb trace`.
@Suite struct TraceOutputTests {
  private func trace(_ arguments: String...) throws -> ProgramRun {
    let fixture = try TraceScene.folder()
    return try plumb(["trace", "net.inp"] + arguments, folder: fixture.folder.path)
  }

  private func object(_ text: String) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  @Test func `an isolation in words`() throws {
    let run = try trace(
      "--type", "isolation", "--start", "B", "--valve-layer", "valves.csv", "--include-isolated")
    #expect(run.status == 0)
    #expect(run.errors == "")
    let lines = run.lines
    #expect(lines[0] == "Isolation of junction:B: close 1 valve")
    #expect(lines[1] == "Close:")
    #expect(lines[2].hasPrefix("  isolation_valve:P2@A: "))
    #expect(lines[3] == "Also bounds the area; no need to operate:")
    #expect(lines[4].hasPrefix("  isolation_valve:P3@C: "))
    #expect(lines[5].hasPrefix("  isolation_valve:P4@B: "))
    #expect(
      Array(lines[6...]) == [
        "Isolated: 9 elements", "  3 junction", "  4 pipe", "  2 isolation_valve",
        "Isolated elements:", "  junction:B", "  junction:C", "  junction:D", "  pipe:P2",
        "  pipe:P3", "  pipe:P4", "  pipe:P5", "  isolation_valve:P3@C", "  isolation_valve:P4@B",
      ])
  }

  @Test func `a start that a source reaches without a valve between them`() throws {
    let run = try trace(
      "--type", "isolation", "--start", "R", "--valve-layer", "valves.csv")
    #expect(run.status == 2)
    #expect(
      run.lines.first == "NOT ISOLATED: nothing cuts reservoir:R off from reservoir:R")
    #expect(
      Array(run.lines.dropFirst()) == [
        "Partial plan, with this source shut:",
        "  reservoir:R: shut it, because no valve lies between it and the start",
        "Also bounds the area; no need to operate once the plan is done:",
        "  isolation_valve:P1@R: the elements beyond it are supplied only through the isolated area",
        "The plan would isolate 14 elements",
      ])
    let json = try trace(
      "--type", "isolation", "--start", "R", "--valve-layer", "valves.csv", "--format", "json")
    #expect(json.status == 2)
    let reply = try object(json.output)
    #expect(reply["success"] as? Bool == false)
    let isolation = try #require(reply["isolation"] as? [String: Any])
    let controllers = try #require(isolation["controllersNotIsolated"] as? [[String: Any]])
    #expect(controllers.map { $0["globalId"] as? String } == ["R"])
    #expect((isolation["isolating"] as? [Any])?.isEmpty == true)
    let plan = try #require(isolation["partialPlan"] as? [String: Any])
    #expect(Set(plan.keys) == ["shut", "isolating", "boundingOnly", "isolated", "lost"])
    #expect((plan["shut"] as? [[String: Any]])?.map { $0["globalId"] as? String } == ["R"])
    #expect((plan["isolating"] as? [Any])?.isEmpty == true)
    #expect((plan["isolated"] as? [Any])?.count == 14)
  }

  /// There are sources at both ends, but no valve at R. A check valve K, a pump U and a pressure
  /// reducing valve V lead from A in the middle to the area supplied by Q.
  @Test func `a partial plan, and the elements that hold it`() throws {
    let fixture = try Fixture()
    let town = EPANETTown(
      "R-P1-A-P3-S", "B-P2-Q", reservoirs: ["R", "Q", "S"],
      links: "K A B 10 100 100 0 CV\n[PUMPS]\nU A B POWER 5\n[VALVES]\nV A B 100 PRV 30\n")
    try fixture.folder.write("net.inp", town.text)
    try fixture.folder.write("valves.csv", "link,node\nP2,B\nP3,A\n")
    func run(_ more: String...) throws -> ProgramRun {
      try plumb(
        ["trace", "net.inp", "--type", "isolation", "--valve-layer", "valves.csv"] + more,
        folder: fixture.folder.path)
    }
    let why = "it must hold; if it is open in both directions, supply enters the area"
    let holding = [
      "Held by:", "  pipe:K: check valve: \(why)", "  pump:U: pump: \(why)",
      "  valve:V: PRV: \(why)",
    ]
    let partial = try run("--start", "A")
    #expect(partial.status == 2)
    #expect(
      partial.lines == [
        "NOT ISOLATED: nothing cuts junction:A off from reservoir:R",
        "Partial plan, with this source shut:",
        "  reservoir:R: shut it, because no valve lies between it and the start", "Close:",
        "  isolation_valve:P3@A: a controller supplies it from beyond the area: close it",
      ] + holding + ["The plan would isolate 6 elements"])
    let json = try run("--start", "A", "--format", "json")
    let isolation = try #require(try object(json.output)["isolation"] as? [String: Any])
    let list = try #require(isolation["heldBy"] as? [[String: Any]])
    #expect(list.map { $0["globalId"] as? String } == ["K", "U", "V"])
    #expect(list.map { $0["why"] as? String }.allSatisfy { $0?.hasSuffix(why) == true })
    let plan = try #require(isolation["partialPlan"] as? [String: Any])
    let close = try #require(plan["isolating"] as? [[String: Any]])
    #expect(close.map { ($0["element"] as? [String: Any])?["globalId"] as? String } == ["P3@A"])

    // With `--one-way open` they do not hold, so the valve behind them is closed.
    let open = try run("--start", "A", "--one-way", "open")
    #expect(open.status == 2)
    #expect(!open.output.contains("Held by"))
    #expect(open.lines.contains { $0.hasPrefix("  isolation_valve:P2@B: a controller") })
    let near = try run("--start", "B", "--one-way", "open")
    let hold = try run("--start", "B", "--one-way", "hold")
    let plain = try run("--start", "B")
    #expect(near.status == 2 && hold.output == plain.output)
    let wrong = try run("--start", "B", "--one-way", "shut")
    #expect(wrong.status == 64)
  }

  @Test func `all members of an isolation in JSON`() throws {
    let run = try trace(
      "--type", "isolation", "--start", "B", "--valve-layer", "valves.csv", "--format", "json",
      "--include-isolated")
    #expect(run.status == 0)
    let reply = try object(run.output)
    #expect(Set(reply.keys) == ["traceResults", "isolation", "success"])
    #expect(reply["success"] as? Bool == true)
    let results = try #require(reply["traceResults"] as? [String: Any])
    #expect(
      Set(results.keys) == [
        "elements", "possible", "globalFunctionResults", "warnings", "startingPointsIgnored",
      ])
    #expect((results["globalFunctionResults"] as? [Any])?.isEmpty == true)
    #expect((results["warnings"] as? [Any])?.isEmpty == true)
    let elements = try #require(results["elements"] as? [[String: Any]])
    #expect(
      elements.map { $0["globalId"] as? String }
        == ["B", "C", "D", "P2", "P3", "P4", "P5", "P2@A", "P3@C", "P4@B"])
    let pipe = elements[3]
    #expect(pipe["networkSourceId"] as? Int == 4)
    #expect(pipe["sourceName"] as? String == "pipe")
    #expect(pipe["terminalId"] is NSNull)
    #expect(pipe["objectId"] is NSNull)
    #expect(pipe["assetGroupCode"] as? Int == 1)
    #expect(pipe["assetTypeCode"] as? Int == 1)
    #expect(pipe["positionFrom"] as? Double == 0)
    #expect(pipe["positionTo"] as? Double == 1)
    let isolation = try #require(reply["isolation"] as? [String: Any])
    #expect(
      Set(isolation.keys)
        == [
          "isolating", "boundingOnly", "isolated", "alreadyWithoutSupply", "lost", "heldBy",
          "controllersNotIsolated",
          "partialPlan",
        ])
    #expect((isolation["heldBy"] as? [Any])?.isEmpty == true)
    #expect(isolation["partialPlan"] is NSNull)
    let isolating = try #require(isolation["isolating"] as? [[String: Any]])
    #expect(isolating.count == 1)
    #expect((isolating[0]["element"] as? [String: Any])?["globalId"] as? String == "P2@A")
    #expect(isolating[0]["reason"] as? String == "suppliedFromBeyond")
    #expect((isolating[0]["why"] as? String)?.isEmpty == false)
    let bounding = try #require(isolation["boundingOnly"] as? [[String: Any]])
    #expect(
      bounding.map { ($0["element"] as? [String: Any])?["globalId"] as? String } == [
        "P3@C", "P4@B",
      ])
    let lost = try #require(isolation["lost"] as? [[String: Any]])
    #expect(lost.map { $0["sourceName"] as? String } == ["junction", "pipe", "isolation_valve"])
    #expect(lost.map { $0["count"] as? Int } == [3, 4, 2])
  }

  @Test func `segments in JSON and CSV`() throws {
    let json = try trace("--segments", "--valve-layer", "valves.csv")
    let list = try #require(try object(json.output)["segments"] as? [[String: [String]]])
    #expect(
      Set(list) == [
        ["nodes": ["R"], "links": [], "valves": ["P1@R"]],
        ["nodes": ["A"], "links": ["P1"], "valves": ["P1@R", "P2@A"]],
        ["nodes": ["B"], "links": ["P2", "P3"], "valves": ["P2@A", "P3@C", "P4@B"]],
        ["nodes": ["C"], "links": [], "valves": ["P3@C"]],
        ["nodes": ["D", "T"], "links": ["P4", "P5"], "valves": ["P4@B"]],
      ])
    let csv = try trace("--segments", "--valve-layer", "valves.csv", "--format", "csv")
    #expect(csv.lines.first == "segment,kind,id")
    #expect(csv.lines.count == 1 + list.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } })
    for (index, segment) in list.enumerated() {
      for (kind, member) in [("node", "nodes"), ("link", "links"), ("valve", "valves")] {
        for id in segment[member] ?? [] {
          #expect(csv.lines.contains("\(index + 1),\(kind),\(id)"))
        }
      }
    }
  }

  @Test func `a filter in point of the valve layer`() throws {
    let run = try trace(
      "--segments", "--valve-layer", "valves.csv", "--filter", "length = 20", "--format", "json")
    let list = try #require(try object(run.output)["segments"] as? [[String: [String]]])
    #expect(list.count == 2)
    #expect(list.allSatisfy { $0["valves"] == ["P2"] })
  }

  @Test func `elements as GeoJSON, with parts of edges`() throws {
    let run = try trace(
      "--type", "isolation", "--start", "@25,0", "--filter-barrier", "@22,0", "--filter-barrier",
      "@28,0", "--format", "geojson", "--include-isolated")
    #expect(run.status == 0)
    #expect(
      run.errors
        == "plumb: warning: the network has no CRS: its coordinates are written unchanged\n"
    )
    let features = try #require(try object(run.output)["features"] as? [[String: Any]])
    let roles = features.map { ($0["properties"] as? [String: Any])?["role"] as? String }
    #expect(roles.contains("isolating") && roles.contains("isolated"))
    for feature in features {
      let properties = try #require(feature["properties"] as? [String: Any])
      let geometry = try #require(feature["geometry"] as? [String: Any])
      guard properties["role"] as? String == "isolating" else { continue }
      #expect(properties["globalId"] as? String == "P3")
      #expect(geometry["type"] as? String == "Point")
      let point = try #require(geometry["coordinates"] as? [Double])
      #expect(abs(point[0] - 22) < 1e-9 && point[1] == 0)
      #expect((properties["positionFrom"] as? Double).map { abs($0 - 0.2) < 1e-12 } == true)
    }
  }

  @Test func `a request file and its reply`() throws {
    let fixture = try TraceScene.folder()
    try fixture.folder.write(
      "request.json",
      """
      {"traceType":"isolation","traceLocations":[
        {"traceLocationType":"startingPoint","globalId":"P3","percentAlong":0.5}],
       "traceConfiguration":{"domainNetworkName":"network","tierName":"network",
         "includeIsolated":true,"filterBarriers":[{"name":"Category","type":"category",
         "operator":"exists","value":"Isolating","combineUsingOr":false,"isSpecificValue":true}]},
       "resultTypes":[{"type":"elements"},{"type":"aggregatedGeometry"}]}
      """)
    let run = try plumb(
      ["trace", "net.inp", "--request", "request.json", "--valve-layer", "valves.csv"],
      folder: fixture.folder.path)
    #expect(run.status == 0, "\(run.errors)")
    let results = try #require(try object(run.output)["traceResults"] as? [String: Any])
    let elements = try #require(results["elements"] as? [[String: Any]])
    #expect(elements.contains { $0["globalId"] as? String == "P2@A" })
    let geometry = try #require(results["aggregatedGeometry"] as? [String: Any])
    #expect(Set(geometry.keys) == ["point", "line", "polygon"])
    #expect(((geometry["line"] as? [String: Any])?["paths"] as? [Any])?.isEmpty == false)
  }

  @Test func `other traces list the elements that they reach`() throws {
    let run = try trace("--type", "upstream", "--start", "C")
    #expect(run.status == 0)
    #expect(
      run.lines == [
        "upstream trace from junction:C: 7 elements", "  3 junction", "  1 reservoir", "  3 pipe",
        "Elements:", "  junction:A", "  junction:B", "  junction:C", "  reservoir:R", "  pipe:P1",
        "  pipe:P2", "  pipe:P3",
      ])
    let path = try trace(
      "--type", "shortestPath", "--start", "R", "--start", "C", "--cost", "length")
    #expect(
      path.lines.prefix(2) == [
        "shortestPath trace from reservoir:R, junction:C: 7 elements", "Least sum: 60",
      ])
    let explained = try trace("--type", "upstream", "--start", "C", "--explain")
    #expect(
      explained.errorsWithoutSandbox == """
        plumb: net.inp: EPANET, 6 junctions and 5 edges, 2 controllers
        plumb: start: junction:C
        plumb: stops traversal: status equal 'closed'

        """)
  }

  @Test func `a file appears complete or not at all, and is not overwritten`() throws {
    let fixture = try TraceScene.folder()
    let arguments = ["trace", "net.inp", "--type", "upstream", "--start"]
    func run(_ more: String...) throws -> ProgramRun {
      try plumb(arguments + more, folder: fixture.folder.path)
    }
    #expect(try run("X", "-o", "out.txt").status == 1)
    #expect(try fixture.names == ["net.inp", "valves.csv"])
    #expect(try run("C", "-o", "out.txt").status == 0)
    #expect(try fixture.text("out.txt") == run("C").output)
    let again = try run("C", "-o", "out.txt")
    #expect(again.status == 1)
    #expect(again.errors == "plumb: out.txt exists; --overwrite replaces it\n")
    #expect(try run("B", "-o", "out.txt", "--overwrite").status == 0)
    #expect(try fixture.text("out.txt") == run("B").output)
    let overwriting = try run("C", "-o", "net.inp", "--overwrite", "--format", "text")
    #expect(overwriting.errors == "plumb: net.inp is an input; write to another file\n")
    #expect(try fixture.text("net.inp") == TraceScene.inp)
  }

  @Test func `elements and segments as layers`() throws {
    let fixture = try TraceScene.folder()
    func run(_ more: String...) throws -> ProgramRun {
      try plumb(
        ["trace", "net.inp", "--valve-layer", "valves.csv"] + more, folder: fixture.folder.path)
    }
    let warning =
      "plumb: warning: the network has no CRS: its coordinates are written "
      + "unchanged\n"
    func features(_ name: String) throws -> [(role: String, id: String, point: [Double]?)] {
      let features = try #require(try object(fixture.text(name))["features"] as? [[String: Any]])
      return try features.map { feature in
        let facts = try #require(feature["properties"] as? [String: Any])
        let geometry = feature["geometry"] as? [String: Any]
        let list = geometry?["coordinates"] as? [Any]
        return (
          (facts["role"] as? String) ?? "\(facts["segment"] ?? "") \(facts["kind"] ?? "")",
          try #require(facts["globalId"] as? String),
          (list as? [Double]) ?? (list as? [[Double]])?.first
        )
      }
    }
    let plain = try run("--type", "isolation", "--start", "B", "-o", "a.geojson")
    #expect(plain.status == 0 && plain.errors == warning)
    let found = try features("a.geojson")
    #expect(found.filter { $0.role == "isolating" }.map(\.id) == ["P2@A"])
    #expect(found.first { $0.id == "P3" }?.point == [20, 0])
    let located = try run(
      "--type", "isolation", "--start", "B", "--crs", "EPSG:3857", "-o", "b.geojson")
    #expect(located.status == 0 && located.errors == "")
    let x = try #require(try features("b.geojson").first { $0.id == "P3" }?.point)[0]
    #expect(abs(x - 20 / 111_319.490793) < 1e-9)

    let pieces = try run("--segments", "-o", "s.geojson")
    #expect(pieces.status == 0 && pieces.errors == warning)
    let rows = try features("s.geojson")
    let csv = try run("--segments", "--format", "csv")
    #expect(
      rows.map { "\($0.role.replacing(" ", with: ",")),\($0.id)" } == Array(csv.lines.dropFirst()))
    #expect(rows.allSatisfy { $0.point != nil })

    // A GeoPackage is read back like any other layer.
    #expect(try run("--segments", "--crs", "EPSG:3857", "-o", "s.gpkg").status == 0)
    #expect(
      try run("--type", "upstream", "--start", "C", "--crs", "EPSG:3857", "-o", "u.gpkg").status
        == 0)
    for (name, count) in [("s.gpkg", rows.count), ("u.gpkg", 2)] {
      let reader = try VectorFeatureReader(path: fixture.folder.path(name))
      #expect(reader.spatialReference?.label.contains("3857") == true)
      #expect(reader.featureCount ?? 0 >= count)
      let batch = try #require(try reader.nextNumbered(limit: 100)).0
      #expect(batch.allSatisfy { $0.geometry != nil })
    }
    #expect(try run("--segments", "--format", "gpkg").status == 64)
    #expect(try run("--segments", "-o", "s.shp").errors.contains(".gpkg"))
  }

  @Test func `info of a network`() throws {
    let fixture = try TraceScene.folder()
    let text = try plumb(["info", "net.inp"], folder: fixture.folder.path)
    #expect(
      text.lines == [
        "path: net.inp", "type: EPANET",
        "use: trace --type (isolation, upstream and others), trace --segments", "crs: none",
        "elements: 11, 6 junctions and 5 edges",
        "  4 junction", "  1 reservoir", "  1 tank", "  5 pipe",
        "domain network: network, partitioned, controllers are sources",
        "  tier: network, rank 1, mesh, with a trace configuration", "controllers: 2",
        "  reservoir:R", "  tank:T", "connected components: 1",
        "attributes: status text, length real apportionable, diameter real, roughness real, "
          + "minor_loss real, setting real, elevation real, demand real, tag text",
        "categories: Subnetwork Controller, Isolating",
      ])
    let json = try plumb(["info", "net.inp", "--format", "json"], folder: fixture.folder.path)
    let facts = try object(json.output)
    #expect(facts["type"] as? String == "EPANET")
    #expect(facts["connectedComponents"] as? Int == 1)
    #expect((facts["assetTypes"] as? [[String: Any]])?.map { $0["count"] as? Int } == [4, 1, 1, 5])
    #expect(
      (facts["controllers"] as? [[String: Any]])?.map { $0["globalId"] as? String } == ["R", "T"])
  }
}
