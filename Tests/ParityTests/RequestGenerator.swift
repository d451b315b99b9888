import PlumbTestSupport

/// Seeded requests, valid and invalid.
struct RequestGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func isLucky(_ share: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < share
  }

  // MARK: Traces

  private static let references = [
    "M0054:Load", "M0054:Supply", "V0031", "V0045", "V0049", "M0001:Load", "nope",
  ]

  mutating func trace() -> ParityRequest {
    var request = ParityRequest(verb: .trace)
    func add(_ stem: String, _ value: ParityRequest.Value) { request.options.append((stem, value)) }
    let isBare = isLucky(0.1)
    let types = [
      "connected", "subnetwork", "subnetwork-controllers", "upstream", "downstream", "loops",
      "shortest-path", "isolation", "isolation", "isolation",
    ]
    let type = isLucky(0.03) ? "bogus" : pick(types)
    if !isBare {
      add("type", .text(type))
      let count = type == "shortest-path" ? 2 : isLucky(0.05) ? 0 : isLucky(0.15) ? 2 : 1
      if count > 0 { add("start", .list((0..<count).map { _ in pick(Self.references) })) }
    }
    if type == "isolation" ? isLucky(0.7) : isLucky(0.1) {
      add("filter-category", .text(pick(["Isolating", "isolating", "Isolating", "nope"])))
    }
    if isLucky(0.15) { add("filter", .text(pick(["category('Isolating')", "(((", "x = 1"]))) }
    if isLucky(0.1) { add("condition", .text(pick(["lifecyclestatus >= 0", "((("]))) }
    if isLucky(0.1) { add("barrier", .list([pick(Self.references)])) }
    if isLucky(0.1) { add("filter-barrier", .list([pick(Self.references)])) }
    if type == "isolation" ? isLucky(0.2) : isLucky(0.05) {
      add("inoperable", .list([pick(["V0031", "V0045", "nope"])]))
    }
    if isLucky(0.1) { add("one-way", .text(pick(["hold", "open", "bogus"]))) }
    if type == "isolation" ? isLucky(0.2) : isLucky(0.05) { add("include-isolated", .flag) }
    if type == "shortest-path" ? isLucky(0.8) : isLucky(0.03) {
      add("cost", .text(pick(["length", "Shape length", "nope"])))
    }
    if isLucky(0.08) { add("domain", .text(pick(["Pipeline", "pipeline", "nope"]))) }
    if isLucky(0.08) { add("tier", .text(pick(["Pipe Distribution System", "nope"]))) }
    return request
  }

  // MARK: Identify

  mutating func identify() -> ParityRequest {
    var request = ParityRequest(verb: .identify)
    let points = ["18.86,-33.93", "18.42,-33.96", "18.6,-34.1", "18.425,-33.92", "0,0", "999,999"]
    request.points = (0..<Int.random(in: 1...2, using: &random)).map { _ in pick(points) }
    addMapOptions(to: &request)
    if isLucky(0.2) { request.options.append(("popups-only", .flag)) }
    if isLucky(0.3) {
      request.options.append(
        ("max-results", isLucky(0.3) ? .text("all") : .number(pick(["1", "3", "100", "0"]))))
    }
    if isLucky(0.15) {
      request.options.append(("crs", .text(pick(["EPSG:4326", "EPSG:3857", "EPSG:0", "x"]))))
    }
    return request
  }

  private mutating func addMapOptions(to request: inout ParityRequest) {
    if isLucky(0.6) {
      request.options.append(
        ("tolerance", .text(pick(["12px", "500m", "2km", "0", "-1m", "200px", "wide"]))))
    }
    if isLucky(0.5) {
      request.options.append(("scale", .number(pick(["50000", "250000", "1000", "0", "-5"]))))
    }
    let hasLayer = isLucky(0.3)
    if hasLayer { request.options.append(("layer", .text(pick(["clinics", "dem", "0", "nope"])))) }
    if isLucky(hasLayer ? 0.4 : 0.05) {
      request.options.append(("where", .text(pick(["BEDS > 50", "BEDS >", "nope = 1"]))))
    }
    if isLucky(0.2) { request.options.append(("strict", .flag)) }
  }

  // MARK: Files

  mutating func sample() -> ParityRequest {
    var request = ParityRequest(verb: .sample)
    if isLucky(0.4) {
      let (x, y) = pick([("lon", "lat"), ("lon", "lat"), ("2", "3"), ("x", "y"), ("lon", "nope")])
      request.options += [("x", .text(x)), ("y", .text(y))]
    }
    if isLucky(0.3) { request.options.append(("tolerance", .text(pick(["500m", "12px", "x"])))) }
    if isLucky(0.2) { request.options.append(("scale", .text(pick(["50000", "0"])))) }
    if isLucky(0.2) { request.options.append(("layer", .text(pick(["dem", "nope"])))) }
    for name in ["scaled", "status"] where isLucky(0.3) {
      request.options.append((name, .flag))
    }
    if isLucky(0.15) { request.options.append(("strict", .flag)) }
    if isLucky(0.3) {
      request.options.append(("resampling", .text(pick(["nearest", "bilinear", "cubic", "x"]))))
    }
    let formats = ["csv", "csv", "tsv", "jsonl", "geojson", "bogus"]
    request.options.append(("format", .text(pick(formats))))
    return request
  }

  mutating func buffer() -> ParityRequest {
    var request = ParityRequest(verb: .buffer)
    request.points = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      pick(["18.42,-33.93", "18.43,-33.93", "180,10", "20,90", "20,91"])
    }
    if isLucky(0.9) {
      request.options.append(("distance", .text(pick(["500", "1000,2000", "-5"]))))
    }
    if isLucky(0.9) { request.options.append(("unit", .text(pick(["m", "km", "deg", "parsec"])))) }
    let isGeodesic = isLucky(0.7)
    if isGeodesic { request.options.append(("geodesic", .flag)) }
    if isLucky(isGeodesic ? 0.3 : 0.1) {
      request.options.append(("max-deviation", .number(pick(["0.5", "10", "0"]))))
    }
    if isLucky(isGeodesic ? 0.3 : 0.1) {
      request.options.append(("curve", .text(pick(["geodesic", "loxodrome", "x"]))))
    }
    if isLucky(0.3) { request.options.append(("union", .flag)) }
    if isLucky(0.2) { request.options.append(("strict", .flag)) }
    if isLucky(0.8) {
      request.options.append(("crs", .text(pick(["EPSG:4326", "EPSG:4326", "x"]))))
    }
    if isLucky(0.2) { request.options.append(("out-crs", .text(pick(["EPSG:3857", "x"])))) }
    return request
  }
}
