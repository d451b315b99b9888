import Plumb
import PlumbIO
import Synchronization

extension LiveMonitor {
  /// The state and the counts of the monitor.
  var description: JSONObject {
    var object = JSONObject()
    object.add("name", name)
    object.add("status", "started")
    let (fences, warnings, entities, counts) = withState { state in
      (
        state.notifiers.notifiers.reduce(0) { $0 + $1.geotrigger.fences.fences.count },
        state.warnings, state.entityCount, state.counts
      )
    }
    object.add("fences", fences)
    object.add("buffer", definition.plan.buffer)
    object.add("rule", definition.plan.rules.rule.rawValue)
    object.add("entities", entities)
    object.add("subscribers", subscribers.load(ordering: .relaxed))
    object.add("requests", counts.requests)
    object.add("accepted", counts.accepted)
    object.add("refused", counts.refused)
    object.add("events", counts.events)
    object.add("lastEventId", log.id(log.last))
    if let replay = replay.json { object.add("replay", replay) }
    var bounds = JSONObject()
    bounds.add("entities", limits.entities)
    bounds.add("subscribers", limits.subscribers)
    bounds.add("events", limits.events)
    bounds.add("queueBytes", limits.queueBytes)
    object.add("limits", bounds)
    object.add("warnings", texts: warnings)
    return object
  }

  /// The counts as metrics for Prometheus. The lines do not include the `# TYPE` header.
  var metrics: [(name: String, help: String, line: String)] {
    let (entities, counts) = withState { ($0.entityCount, $0.counts) }
    func line(
      _ name: String, _ help: String, _ value: Int, _ result: String = ""
    ) -> (String, String, String) {
      (
        "plumb_monitor_" + name, help,
        "plumb_monitor_\(name){monitor=\"\(self.name)\"\(result)} \(value)"
      )
    }
    let locations = "Locations sent to a monitor."
    return [
      line(
        "subscribers", "Clients subscribed to a monitor.", subscribers.load(ordering: .relaxed)),
      line("entities", "Entities of a monitor.", entities),
      line("locations_total", locations, counts.accepted, ",result=\"accepted\""),
      line("locations_total", locations, counts.refused, ",result=\"refused\""),
      line("events_total", "Events of a monitor.", counts.events),
    ]
  }
}
