/// How much a monitor holds at most.
package struct MonitorLimits: Sendable {
  /// Entities that are remembered.
  package var entities = 100_000
  /// Pairs of an entity and a fence that it is inside of.
  package var stays = 1_000_000
  /// Clients that listen to one monitor.
  package var subscribers = 2_000
  /// Events that are kept for clients that come back.
  package var events = 10_000
  /// Bytes of the events that are kept.
  package var eventBytes = 64 << 20
  /// Bytes of events that may wait for one client before it is cut off.
  package var queueBytes = 4 << 20

  /// The usual ones.
  package init() {}
}
