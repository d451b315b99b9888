import PlumbCore

/// A notification that an entity entered, exited, dwelt in or crossed a fence.
public struct FenceNotification: Sendable {
  /// The event with its type, time and point.
  public var event: FenceEvent
  /// The message for the user.
  public var message: GeotriggerMessage
  /// The fence's feature.
  public var fence: Fence
  /// The location that caused the event.
  public var location: Location
  /// The geotrigger's name.
  public var monitor: String

  let fences: FenceSet
  let rules: FenceRules

  /// The kind of event.
  public var type: FenceEventType { event.type }

  /// A description of why the event was reported.
  public var why: String { event.why(rules, fences) }

  /// The fence with its buffer, on WGS84.
  ///
  /// - Throws: if the fence has no geometry, for example because it is a region of a raster.
  public func fenceGeometry() throws(GeotriggerError) -> Geometry {
    try fences.geometry(of: event.fence)
  }
}

extension FenceNotification: CustomStringConvertible {
  /// A line with the geotrigger, the entity, the event, the fence, the time and the location, such
  /// as `POI: ada entered Spring, 2026-05-01T10:04:40Z at 18.4, -33.9`. For a fence without a name,
  /// the line contains the fence's id.
  public var description: String {
    let verb = type == .dwelt ? "dwelt in" : type.rawValue
    let name = fence.name.isEmpty ? fence.id : fence.name
    let (x, y, time) = (event.x, event.y, FenceEvent.text(time: event.time))
    return "\(monitor): \(location.entity) \(verb) \(name), \(time) at \(x), \(y)"
  }
}
