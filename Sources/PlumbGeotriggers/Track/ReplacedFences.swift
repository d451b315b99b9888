import PlumbCore

/// Maps the fences of a set to the fences of a new set that replaces it.
struct ReplacedFences {
  /// The new position of each old fence; −1 if the fence is removed or the new fence is unusable.
  let positions: [Int32]
  /// For each new fence, whether it replaces a fence with another shape or buffer.
  let isChanged: [Bool]
  let hasChanges: Bool

  /// - Returns: nil if all fences are unchanged and at the same positions.
  init?(_ old: FenceSet, _ new: FenceSet) {
    let hasSameBuffer = old.bufferDistance == new.bufferDistance
    func areSame(_ one: Fence, _ other: Fence) -> Bool {
      hasSameBuffer && one.geometry == other.geometry
    }
    let areAllSame =
      new.warnings.isEmpty && old.fences.count == new.fences.count
      && old.fences.indices.allSatisfy {
        old.fences[$0].id == new.fences[$0].id && areSame(old.fences[$0], new.fences[$0])
      }
    if areAllSame { return nil }
    let unusable = Set(new.warnings.map(\.fence))
    // The positions of fences by id. If several fences have the same id, the list contains their
    // positions in descending order.
    var places: [String: [Int32]] = [:]
    for position in new.fences.indices.reversed() {
      places[new.fences[position].id, default: []].append(
        unusable.contains(position) ? -1 : Int32(truncatingIfNeeded: position))
    }
    var isChanged = [Bool](repeating: false, count: new.fences.count)
    positions = old.fences.map { fence in
      guard let position = places[fence.id]?.popLast(), position >= 0 else { return -1 }
      if !areSame(fence, new.fences[Int(position)]) { isChanged[Int(position)] = true }
      return position
    }
    self.isChanged = isChanged
    hasChanges = isChanged.contains(true)
  }
}
