import Plumb
import PlumbIO

extension LiveMonitor {
  /// The default number of entities in a reply.
  static let defaultEntities = 1000

  /// Returns the monitor's entities with the fences that contain them, and the id of the last event
  /// that this state includes. The most recently updated entity is first.
  func entitiesJSON(limit: Int) -> JSONObject {
    let found = withState { state in
      var all: [Int32: (time: Int64, point: SIMD2<Double>)] = [:]
      let tracked = state.notifiers.notifiers.map(\.entities)
      for entity in tracked.joined() {
        // With several notifiers, the filter of one notifier may have omitted the newest location.
        if entity.time > all[entity.entity]?.time ?? .min {
          all[entity.entity] = (entity.time, entity.point)
        }
      }
      let newest = all.sorted { ($1.value.time, $0.key) < ($0.value.time, $1.key) }.prefix(limit)
      let chosen = Set(newest.map(\.key))
      var stays: [Int32: [Visit]] = [:]
      for (notifier, entities) in zip(state.notifiers.notifiers, tracked) {
        let geotrigger = notifier.geotrigger
        for entity in entities where chosen.contains(entity.entity) {
          stays[entity.entity, default: []] += entity.stays.map { stay in
            let fence = geotrigger.fences.fences[stay.fence]
            return Visit(
              monitor: geotrigger.name, fence: fence.name, id: fence.id, since: stay.since)
          }
        }
      }
      let entities = newest.map { number, latest in
        Entity(
          name: state.entities[number], time: latest.time, point: latest.point,
          stays: stays[number] ?? [])
      }
      return (last: log.last, count: all.count, entities: entities)
    }
    var object = JSONObject()
    object.add("lastEventId", log.id(found.last))
    object.add("count", found.count)
    object.add("entities", found.entities.map(\.json))
    return object
  }

  /// An entity in a reply.
  private struct Entity {
    var name: String
    var time: Int64
    var point: SIMD2<Double>
    var stays: [Visit]

    var json: JSONObject {
      var object = JSONObject()
      object.add("entity", name)
      object.add("time", NotificationJSON.text(time))
      object.add("x", point.x)
      object.add("y", point.y)
      object.add("inside", stays.map(\.json))
      return object
    }
  }

  /// A fence that contains an entity.
  private struct Visit {
    var monitor: String
    var fence: String
    var id: String
    var since: Int64

    var json: JSONObject {
      var object = JSONObject()
      object.add("monitor", monitor)
      object.add("fence", fence)
      object.add("fenceId", id)
      object.add("since", NotificationJSON.text(since))
      return object
    }
  }
}
