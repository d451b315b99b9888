import Plumb
import PlumbIO

extension LiveMonitor {
  /// Entities that a reply names unless the request says otherwise.
  static let usualEntities = 1000

  /// The entities of which the monitor knows, the last heard of first, with what they are inside of; and
  /// the last event that this is the state after.
  func entitiesJSON(limit: Int) -> JSONObject {
    struct Found {
      var time: Int64
      var point: SIMD2<Double>
      var stays: [JSONObject] = []
    }
    var found: [Int32: Found] = [:]
    let (last, names) = withState { state in
      for notifier in state.notifiers.notifiers {
        let geotrigger = notifier.geotrigger
        for entity in notifier.entities {
          var own = found[entity.entity] ?? Found(time: entity.time, point: entity.point)
          // A filter may have kept newer locations from one of several.
          if entity.time > own.time { (own.time, own.point) = (entity.time, entity.point) }
          own.stays += entity.stays.map { stay in
            let fence = geotrigger.fences.fences[stay.fence]
            var object = JSONObject()
            object.add("monitor", geotrigger.name)
            object.add("fence", fence.name)
            object.add("fenceId", fence.id)
            object.add("since", NotificationJSON.text(stay.since))
            return object
          }
          found[entity.entity] = own
        }
      }
      return (log.last, state.entities)
    }
    let newest = found.sorted { ($1.value.time, $0.key) < ($0.value.time, $1.key) }
    var object = JSONObject()
    object.add("lastEventId", log.id(last))
    object.add("count", newest.count)
    object.add(
      "entities",
      newest.prefix(limit).map { number, own in
        var entry = JSONObject()
        entry.add("entity", names[number])
        entry.add("time", NotificationJSON.text(own.time))
        entry.add("x", own.point.x)
        entry.add("y", own.point.y)
        entry.add("inside", own.stays)
        return entry
      })
    return object
  }
}
