/// A remembered entity: its last location, and what it is inside of.
package struct TrackedEntity: Sendable {
  /// A fence that it is in.
  package struct Visit: Sendable {
    /// The fence's position in its set.
    package var fence: Int
    /// The start of the stay; milliseconds since 1970.
    package var since: Int64
  }

  /// Its number.
  package var entity: Int32
  /// The time of its last location; milliseconds since 1970.
  package var time: Int64
  /// Longitude and latitude on WGS84.
  package var point: SIMD2<Double>
  /// In the order of the fences.
  package var stays: [Visit]
}

extension FenceTracker {
  /// The remembered entities, by number.
  package var entities: [TrackedEntity] {
    var entities: [TrackedEntity] = []
    entities.reserveCapacity(table.count)
    for slot in 0..<table.slotCount {
      let state = unsafe table.states[slot]
      guard state.entity >= 0, !state.isNew else { continue }
      entities.append(
        TrackedEntity(
          entity: state.entity, time: state.time, point: state.point,
          stays: state.stays.filter(\.isInside).map {
            TrackedEntity.Visit(fence: Int($0.fence), since: $0.since)
          }))
    }
    return entities.sorted { $0.entity < $1.entity }
  }
}
