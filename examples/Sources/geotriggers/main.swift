// Entities that enter the sections of a garden and stay there: fences and a feed of locations.
import Foundation
import Plumb

do {
  let sections = try FenceFile("rasters/garden_sections.geojson")
  let fences = try FenceSet(sections.fences)
  for warning in fences.warnings { print("warning: \(warning)") }
  // Reports who enters, and who has stayed for a minute and a half.
  var rules = FenceRules()
  rules.rule = .enter
  rules.dwell = 90
  let geotrigger = FenceGeotrigger(
    name: "Section", fences: fences, fenceFields: sections.fields, rules: rules,
    messageExpression: try MessageExpression(
      "$feedfeature.id + ' ' + $fencenotificationtype + ' ' + $fencefeature.name"))
  // The feed has two walkers; one of them is monitored.
  let notifier = try FenceNotifier(
    geotrigger, filter: try FeedFilter("$locationupdate.id == 'ada'"))

  let feed = try LocationFeed("rasters/walk.csv", attributes: true)
  var counts: [FenceEventType: Int] = [:]
  // From a pipe, a batch contains the rows that have arrived; from a file, it contains as many as
  // the limit allows.
  while let batch = try feed.next(limit: 65_536) {
    let updates = notifier.update(batch, entities: feed.entities)
    for notification in updates.notifications {
      let time = Date(timeIntervalSince1970: Double(notification.event.time) / 1000)
      print("\(time.formatted(.iso8601)) \(notification.message.text)")
      counts[notification.type, default: 0] += 1
    }
    // A row that is not a location or does not change anything is reported, and the feed continues.
    for issue in feed.drainIssues() { print("warning: \(issue)") }
    for issue in updates.issues { print("warning: \(issue)") }
  }
  print("entered \(counts[.entered] ?? 0), dwelt in \(counts[.dwelt] ?? 0)")
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
