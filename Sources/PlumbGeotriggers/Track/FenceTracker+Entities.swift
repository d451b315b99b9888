/// A remembered entity with its last location and the fences that contain it.
package struct TrackedEntity: Sendable {
  /// A fence that contains the entity.
  package struct Visit: Sendable {
    /// The fence's position in its set.
    package var fence: Int
    /// The start of the stay in milliseconds since 1970.
    package var since: Int64
  }

  /// The entity's number.
  package var entity: Int32
  /// The time of the entity's last location in milliseconds since 1970.
  package var time: Int64
  /// The longitude and latitude of the last location on WGS84.
  package var point: SIMD2<Double>
  /// The stays, in the order of the fences.
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
