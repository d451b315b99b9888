import PlumbCore
import PlumbLayers
import PlumbRaster
import PlumbSources

extension RasterIdentifier {
  /// Returns a description of the reads that these points need, one line per raster or stack.
  public func explanation(x: [Double], y: [Double]) -> [String] {
    var survey = sampler.makeSurvey()
    let (x, y) = (TrivialBuffer(x), TrivialBuffer(y))
    self.survey(PointCoordinates(x: x.base, y: y.base, count: x.count), into: &survey)
    return explanation(of: survey)
  }

  package func survey(_ points: PointCoordinates, into survey: inout RasterSampler.Survey) {
    project(points) { sampler.survey($0, into: &survey) }
  }

  package func explanation(of survey: RasterSampler.Survey) -> [String] {
    stacks.map { stack in
      var (tiles, bytes) = (0, 0)
      var fetches: FetchCost?
      for index in stack {
        let request = sampler.requests[index]
        // Dates that are in the same tiles are read together.
        if index > stack.lowerBound, request.raster === sampler.requests[index - 1].raster,
          request.raster.members.allSatisfy(\.profile.isInterleaved)
        {
          continue
        }
        let cost = survey.cost(of: request, at: index)
        (tiles, bytes) = (tiles + cost.tiles, bytes + cost.bytes)
        if let fetch = survey.fetchCost(of: request, at: index) {
          fetches = (fetches ?? FetchCost()) + fetch
        }
      }
      let raster = sampler.requests[stack.lowerBound].raster
      return "\(raster.name.printable): \(stack.count > 1 ? "\(stack.count) dates, " : "")"
        + "\(tiles) tiles touched, \(ByteText.describe(bytes)) to decode, by \(routeText(raster))"
        + (fetches.map { "; \(Self.text($0))" } ?? "")
    }
  }

  /// The ranges of consecutive requests with the same name, which are the dates of a stack.
  private var stacks: [Range<Int>] {
    let names = sampler.requests.map(\.raster.name)
    let starts = names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }
    return zip(starts, starts.dropFirst() + [names.count]).map { $0..<$1 }
  }

  private static func text(_ cost: FetchCost) -> String {
    let connections = RemoteRasters.connections
    return "\(cost.requests) \(cost.requests == 1 ? "request" : "requests") for "
      + "\(ByteText.describe(cost.bytes)), at most \(connections) at once"
  }

  /// A description of the network reads so far, one line for each remote raster or stack.
  public var fetchSummary: [String] {
    stacks.compactMap { stack in
      let rasters = stack.map { sampler.requests[$0].raster }
      var known: Set<ObjectIdentifier> = []
      let members = rasters.filter { known.insert(ObjectIdentifier($0)).inserted }
        .flatMap { $0.members.filter(\.isRemote) }
      guard !members.isEmpty else { return nil }
      let sum = members.reduce(FetchCost()) { $0 + $1.fetched }
      return "\(rasters[0].name.printable): \(sum.requests) "
        + "\(sum.requests == 1 ? "request" : "requests") sent, "
        + "\(ByteText.describe(sum.bytes)) fetched"
        + (sum.retries > 0 ? ", \(sum.retries) retried" : "")
    }
  }

  func routeText(_ raster: Raster) -> String {
    let routes = Set(raster.members.map(\.route)).sorted()
    return routes.joined(separator: " and ") + " on \(sampler.workers.count) "
      + (sampler.workers.count == 1 ? "thread" : "threads")
  }

  /// Returns a warning for each raster that does not contain most of the points. The warning
  /// contains the extents of the points and of the raster.
  public func outsideWarnings(_ answers: [RasterAnswer], x: [Double], y: [Double]) -> [String] {
    zip(sampler.requests, answers).compactMap { request, answer in
      let outside = x.indices.count { answer.status(at: $0) == .outside }
      guard outside * 2 > x.count, let minX = x.min(), let maxX = x.max(), let minY = y.min(),
        let maxY = y.max()
      else { return nil }
      return outsideWarning(
        request.raster, outside: outside, total: x.count, x: minX...maxX, y: minY...maxY)
    }
  }

  func outsideWarning(
    _ raster: Raster, outside: Int, total: Int, x: ClosedRange<Double>, y: ClosedRange<Double>
  ) -> String {
    "\(outside) of \(total) \(total == 1 ? "point lies" : "points lie") outside "
      + "\(raster.name.printable): the points span x \(x.lowerBound)…\(x.upperBound), "
      + "y \(y.lowerBound)…\(y.upperBound) (\(reference?.label ?? "no CRS")), the raster "
      + extentText(of: raster)
  }
}

extension BatchIdentify {
  /// Returns a description of the reads that the run needs, one line per raster. Reads all points
  /// to count tiles, unless the input is a stream, which could not be read again.
  public func explanation() throws -> [String] {
    if let dated { return dated.plan }
    guard let identifier = source.rasters else { return [] }
    let input = options.input
    guard !input.isStream else {
      return rasters.map {
        "\($0.name.printable): the number of tiles is unknown until the stream has been read; by "
          + identifier.routeText($0)
      }
    }
    let points = try PointInput(input, workers: options.workers)
    var survey = identifier.sampler.makeSurvey()
    while let batch = try points.next() {
      identifier.survey(batch.coordinates, into: &survey)
    }
    return identifier.explanation(of: survey)
  }

  /// Returns a description of the reads, the results and the speed of a finished run, one line
  /// each.
  public func account(of summary: Summary) -> [String] {
    let touched = summary.tiles.touchedTiles.map { "\($0) tiles touched, " } ?? ""
    var lines = [
      touched + "\(summary.tiles.decodedTiles) tiles decoded "
        + "(\(ByteText.describe(summary.tiles.decodedBytes))), \(summary.tiles.hits) cache hits"
    ]
    lines += dated?.account ?? []
    lines += source.rasters?.fetchSummary ?? []
    // The dates of a stack have the same name.
    var index = 0
    while index < min(rasters.count, summary.statuses.count) {
      let name = rasters[index].name
      let end = rasters[index...].firstIndex { $0.name != name } ?? rasters.count
      let counts = summary.statuses[index..<min(end, summary.statuses.count)]
      let list = SampleStatus.allCases.compactMap { status in
        let sum = counts.reduce(0) { $0 + ($1[status] ?? 0) }
        return sum > 0 ? "\(sum) \(status.name)" : nil
      }
      lines.append(
        "\(name.printable): " + (list.isEmpty ? "no rows" : list.joined(separator: ", ")))
      index = end
    }
    let rate = summary.seconds > 0 ? Int(Double(summary.rows) / summary.seconds) : 0
    let hundredths = Int((summary.seconds * 100).rounded())
    lines.append(
      "\(summary.rows) rows in \(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")"
        + "\(hundredths % 100) s, \(rate) rows/s")
    return lines
  }
}

/// Formats numbers of bytes for display.
enum ByteText {
  package static func describe(_ bytes: Int) -> String {
    if bytes < 1 << 10 { return "\(bytes) bytes" }
    if bytes < 1 << 20 { return "\(bytes >> 10) kB" }
    if bytes < 10 << 30 { return "\(bytes >> 20) MB" }
    return "\(bytes >> 30) GB"
  }
}
