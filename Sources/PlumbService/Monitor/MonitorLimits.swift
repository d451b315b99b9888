/// The capacity limits of a monitor.
package struct MonitorLimits: Sendable {
  /// The maximum number of entities.
  package var entities = 100_000
  /// The maximum number of pairs of an entity and a fence that contains the entity.
  package var stays = 1_000_000
  /// The maximum number of clients subscribed to one monitor.
  package var subscribers = 2_000
  /// The number of events that are stored for clients that reconnect.
  package var events = 10_000
  /// The maximum size of the stored events, in bytes.
  var eventBytes = 64 << 20
  /// The backlog in bytes above which a client is disconnected.
  package var queueBytes = 4 << 20

  /// Creates the default limits.
  package init() {}
}
