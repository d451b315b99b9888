import Plumb
import PlumbTestSupport
import Testing

/// Feeds whose entities appear and disappear without end.
@Suite struct FeedForgetTests {
  @Test("silent entities are forgotten with their names, and those that return are new")
  func bounded() throws {
    let folder = try TemporaryFolder()
    // One new entity per second with two fixes each, and one entity that is always present.
    var text = "id,time,x,y\n"
    let count = 20_000
    for second in 0..<count {
      text += "always,\(second),0.5,0.5\nv\(second),\(second),0.5,0.5\n"
      if second > 0 { text += "v\(second - 1),\(second),2,0.5\n" }
    }
    text += "v3,\(count),2,0.5\nv4,\(count),0.5,0.5\n"
    let feed = try LocationFeed(folder.write("feed.csv", text), attributes: false)
    let square = Envelope(xMin: 0, yMin: 0, xMax: 1, yMax: 1, spatialReference: .wgs84)
    var rules = FenceRules()
    rules.forgetsAfter = 60
    let notifier = try FenceNotifier(
      FenceGeotrigger(
        fences: try FenceSet([Fence(id: "s", geometry: .envelope(square))]), rules: rules))
    var (maximumNames, events, last) = (0, 0, [String]())
    while let batch = try feed.next(limit: 1000) {
      let updates = notifier.update(batch, entities: feed.entities)
      for notification in updates.notifications {
        events += 1
        last.append("\(notification.location.entity) \(notification.type)")
      }
      last = last.suffix(2)
      feed.release(updates.forgotten)
      maximumNames = max(maximumNames, feed.entities.names.count)
    }
    // `always` and all other entities enter, and all but the last of the others leave. The last row
    // belongs to `v4`, which was forgotten and therefore enters again.
    #expect(events == 1 + count + (count - 1) + 1)
    #expect(last.last == "v4 entered")
    #expect(maximumNames < 4000)
  }
}
