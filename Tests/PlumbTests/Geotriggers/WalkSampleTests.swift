import Foundation
import Plumb
import PlumbTestSupport
import Testing

// Sample begins
/// Sections and sights near a walker in a garden: Esri's sample "Set up location-driven
/// Geotriggers", without a screen. Two monitors share one feed: one for the sections, one for the
/// sights with a buffer of ten metres.
final class WalkModel: Sendable {
  let feed = LocationGeotriggerFeed()
  let sections: GeotriggerMonitor
  let sights: GeotriggerMonitor

  init(sections: [Fence], sights: [Fence], fields: [String]) {
    let feed = self.feed
    func monitor(_ name: String, _ fences: [Fence], _ buffer: Double) -> GeotriggerMonitor {
      GeotriggerMonitor(feed: feed) {
        FenceGeotrigger(
          name: name, fences: try FenceSet(fences, bufferDistance: buffer), fenceFields: fields,
          messageExpression: try MessageExpression("$fenceFeature.name"))
      }
    }
    self.sections = monitor("Section", sections, 0)
    self.sights = monitor("POI", sights, 10)
  }

  /// The names of the fences that contain the walker, in the order of entry.
  struct Position {
    var section: [String] = []
    var nearby: [String] = []

    /// Adds the name of an entered fence, or removes the name of an exited fence.
    mutating func receive(_ notification: FenceNotification) {
      let list = notification.monitor == "Section" ? \Position.section : \Position.nearby
      let name = notification.message.text
      switch notification.type {
      case .entered: self[keyPath: list].append(name)
      case .exited: self[keyPath: list].removeAll { $0 == name }
      case .dwelt, .crossed: break
      }
    }
  }
}
// Sample ends

@Suite struct WalkSampleTests {
  /// Walks to the end, and then replays the notifications fix by fix.
  private func walk(
    _ sections: [Fence], _ sights: [Fence], _ source: SimulatedLocationSource
  ) async throws -> (
    notifications: [FenceNotification], fixes: [Point], positions: [WalkModel.Position]
  ) {
    var model: WalkModel? = WalkModel(sections: sections, sights: sights, fields: ["name"])
    let streams = try #require(
      model.map { [$0.sections.notifications(), $0.sights.notifications()] })
    model?.feed.start()
    try await model?.sections.start()
    try await model?.sights.start()
    #expect(model?.sections.status == .started && model?.sights.status == .started)
    #expect(model?.sections.warnings == [] && model?.sights.warnings == [])
    var (source, names) = (source, EntityNames())
    _ = names.number(of: "walker")
    var fixes: [Point] = []
    while let batch = source.next(limit: 1) {
      fixes.append(Point(x: batch.x[0], y: batch.y[0], spatialReference: .wgs84))
      model?.feed.send(batch, entities: names)
    }
    // The sequences end together with their monitors.
    model = nil
    var found: [FenceNotification] = []
    for stream in streams {
      for await notification in stream { found.append(notification) }
    }
    var positions: [WalkModel.Position] = []
    for index in fixes.indices {
      var now = positions.last ?? WalkModel.Position()
      for notification in found where notification.event.index == index {
        now.receive(notification)
      }
      positions.append(now)
    }
    return (found, fixes, positions)
  }

  private func fence(_ name: String, _ geometry: Geometry) -> Fence {
    var geometry = geometry
    geometry.spatialReference = .wgs84
    return Fence(id: name, name: name, geometry: geometry, attributes: [.text(name)])
  }

  /// Compares the lists with the geometry engine, and returns how often each list was not empty.
  private func check(
    _ fixes: [Point], _ positions: [WalkModel.Position], _ sections: [Fence], _ sights: [Fence]
  ) throws -> (sections: Int, nearby: Int) {
    var counts = (0, 0)
    for (fix, position) in zip(fixes, positions) {
      let inside = try sections.filter { try GeometryEngine.intersects($0.geometry, .point(fix)) }
      let near = try sights.filter {
        try GeometryEngine.distance(from: $0.geometry, to: .point(fix), measure: .geodesic()) <= 10
      }
      #expect(
        Set(position.section) == Set(inside.map(\.name)) && position.section.count == inside.count
      )
      #expect(
        Set(position.nearby) == Set(near.map(\.name)) && position.nearby.count == near.count)
      if !inside.isEmpty { counts.0 += 1 }
      if !near.isEmpty { counts.1 += 1 }
    }
    return counts
  }

  @Test("the sample garden: the lists of fences are correct after every fix")
  func garden() async throws {
    let sections = try FenceFile(TestPaths.rasters + "/garden_sections.geojson").fences
    let sights = try FenceFile(TestPaths.rasters + "/garden_sights.geojson").fences
    let line = try SimulatedLocationSource.line(path: TestPaths.rasters + "/walk.esri.json")
    let byName = { (fence: Fence) in self.fence(fence.name, fence.geometry) }
    let (notifications, fixes, positions) = try await walk(
      sections.map(byName), sights.map(byName),
      SimulatedLocationSource(line, pace: .velocity(1.4)))
    let counts = try check(fixes, positions, sections.map(byName), sights.map(byName))
    #expect(counts.sections > 500 && counts.nearby > 80)
    #expect(notifications.filter { $0.monitor == "POI" && $0.type == .entered }.count == 8)
    // A sight's fence is the disc around it.
    let sundial = try #require(notifications.first { $0.fence.name == "Sundial" })
    let area = try GeometryEngine.area(
      of: sundial.fenceGeometry(), measure: .geodesic())
    #expect(abs(area - .pi * 100) < 1)
    #expect(
      notifications.filter { $0.monitor == "Section" && $0.type == .exited }.map(\.message.text)
        == [
          "Gate Lawn", "Fynbos Slope", "Protea Terrace", "Cycad Bowl", "Arboretum",
          "Fragrance Walk",
          "Meadow",
        ])
  }

  @Test(
    "the botanic garden's walking tour",
    .enabled(if: TestPaths.data != nil, "needs the shared data"),
    arguments: [SimulatedLocationSource.Pace.vertexPerUpdate, .velocity(3)])
  func tour(_ pace: SimulatedLocationSource.Pace) async throws {
    let path =
      try #require(TestPaths.data)
      + "/tracks/santa_barbara_botanic_garden_walking_tour.esri.json"
    let line = try SimulatedLocationSource.line(path: path)
    let projected = try GeometryEngine.project(.polyline(line), to: .wgs84)
    let xy = projected.vertices.xy
    let low = try #require(
      xy.dropFirst().reduce(xy.first) { low, next in low.map { pointwiseMin($0, next) } })
    let high = try #require(
      xy.dropFirst().reduce(xy.first) { high, next in high.map { pointwiseMax($0, next) } })
    // Nine adjacent sections, which share borders, and a sight 5e-5° east of every eighth bend.
    let (width, height) = ((high.x - low.x) / 3, (high.y - low.y) / 3)
    let sections = (0..<9).map { number -> Fence in
      let (x, y) = (
        low.x + Double(number % 3) * width, low.y + Double(number / 3) * height
      )
      return fence(
        "Section \(number)",
        .envelope(Envelope(xMin: x, yMin: y, xMax: x + width, yMax: y + height)))
    }
    let bends = projected.vertices.xy
    let sights = stride(from: 0, to: bends.count, by: 8).map { bend in
      fence("Sight \(bend)", .point(Point(x: bends[bend].x + 5e-5, y: bends[bend].y)))
    }
    let (notifications, fixes, positions) = try await walk(
      sections, sights, SimulatedLocationSource(line, pace: pace, maxSegmentLength: 7))
    let counts = try check(fixes, positions, sections, sights)
    #expect(counts.sections == fixes.count && counts.nearby > 10)
    #expect(notifications.contains { $0.monitor == "POI" && $0.type == .exited })
  }

  @Test(
    "a monitor's status: a failed start, warnings, and a restart, after which entities enter again")
  func states() async throws {
    let sections = try FenceFile(TestPaths.rasters + "/garden_sections.geojson").fences
    let feed = LocationGeotriggerFeed()
    let broken = GeotriggerMonitor(feed: feed) {
      FenceGeotrigger(
        fences: try FenceSet(sections), messageExpression: try MessageExpression("$fenceFeature."))
    }
    #expect(broken.status == .stopped)
    await #expect(throws: GeotriggerError.self) { try await broken.start() }
    guard case .failedToStart(let reason) = broken.status else {
      Issue.record("\(broken.status)")
      return
    }
    #expect(reason.contains("line 1, column"))

    let pointless = Fence(
      id: "p", name: "p", geometry: .point(Point(x: 0, y: 0, spatialReference: .wgs84)))
    let monitor = GeotriggerMonitor(feed: feed) {
      FenceGeotrigger(name: "all", fences: try FenceSet(sections + [pointless]), fenceFields: [])
    }
    try await monitor.start()
    #expect(monitor.status == .started)
    #expect(
      monitor.warnings == [
        "fence p: a point needs a buffer distance", "the feed is not started",
      ])
    let stream = monitor.notifications()
    var names = EntityNames()
    var batch = LocationBatch()
    (batch.entity, batch.time, batch.x, batch.y) = (
      [names.number(of: "a")], [0], [18.4327], [-33.988]
    )
    feed.send(batch, entities: names)
    feed.start()
    feed.send(batch, entities: names)
    feed.send(batch, entities: names)
    monitor.stop()
    #expect(monitor.status == .stopped)
    feed.send(batch, entities: names)
    // After a restart, the monitor no longer knows that the walker is inside.
    try await monitor.start()
    feed.send(batch, entities: names)
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<2 {
      let next = await iterator.next()
      #expect(next?.type == .entered && next?.fence.name == "Gate Lawn")
      #expect(next?.location.entity == "a" && next?.monitor == "all")
    }
    let empty = GeotriggerMonitor(feed: feed) { FenceGeotrigger(fences: try FenceSet([])) }
    try await empty.start()
    #expect(empty.warnings == ["no fence is valid"])
  }
}
