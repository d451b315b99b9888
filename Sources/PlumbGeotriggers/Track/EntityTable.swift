/// The remembered state of one entity.
struct EntityState {
  /// The state of an entity at a fence. A visit exists if the entity is inside the fence, or
  /// recently had an event at the fence.
  struct Visit {
    var fence: Int32
    var isInside: Bool
    var hasDwelt = false
    /// The start of the stay in milliseconds since 1970.
    var since: Int64 = 0
    /// The time of the last event of the entity at the fence in milliseconds since 1970; nil before
    /// the first event.
    var lastEvent: Int64?
  }

  /// The entity's number; −1 in a free slot.
  var entity: Int32 = -1
  /// Whether no location of the entity has been received.
  var isNew = true
  /// The time of the entity's last location in milliseconds since 1970, and its point in degrees on
  /// WGS84.
  var time: Int64 = 0
  var point = SIMD2<Double>(0, 0)
  /// The radius of the last location's disc in metres; 0 for a point.
  var radius = 0.0
  /// The last location's number in the feed.
  var index = 0
  /// The visits, in the order of the fences.
  var stays: [Visit] = []
}

/// The states of all remembered entities. The table uses the memory of the states plus four bytes
/// for each entity number that was ever used.
@safe final class EntityTable {
  private static let pageSize = 4096

  private(set) var states: UnsafeMutableBufferPointer<EntityState>
  /// The number of slots used at least once.
  private(set) var slotCount = 0
  private(set) var count = 0
  /// The number of stays in all states, maintained by the users of the table.
  var stayCount = 0
  private var free: [Int32] = []
  /// The slot of each entity, in pages of consecutive entity numbers. The slot is −1 for an entity
  /// without a slot. Unused pages are empty.
  private var pages: [[Int32]] = []

  init() {
    unsafe states = .allocate(capacity: 64)
    unsafe states.initialize(repeating: EntityState())
  }

  deinit {
    unsafe states.deinitialize()
    unsafe states.deallocate()
  }

  /// Returns the slot of an entity, and allocates a slot if necessary.
  ///
  /// - Precondition: the number is not negative.
  func slot(of entity: Int32) -> Int32 {
    let (page, index) = Int(entity).quotientAndRemainder(dividingBy: Self.pageSize)
    while pages.count <= page { pages.append([]) }
    if pages[page].isEmpty { pages[page] = Array(repeating: -1, count: Self.pageSize) }
    let known = pages[page][index]
    if known >= 0 { return known }
    let slot = allocateSlot()
    pages[page][index] = slot
    unsafe states[Int(slot)] = EntityState(entity: entity)
    count += 1
    return slot
  }

  /// Whether an entity has a slot.
  func holds(_ entity: Int32) -> Bool {
    let (page, index) = Int(entity).quotientAndRemainder(dividingBy: Self.pageSize)
    return pages.indices.contains(page) && !pages[page].isEmpty && pages[page][index] >= 0
  }

  private func allocateSlot() -> Int32 {
    if let slot = free.popLast() { return slot }
    if unsafe slotCount == states.count {
      let larger = unsafe UnsafeMutableBufferPointer<EntityState>.allocate(
        capacity: states.count * 2)
      let moved = unsafe larger.moveInitialize(fromContentsOf: states)
      unsafe larger[moved...].initialize(repeating: EntityState())
      unsafe states.deallocate()
      unsafe states = unsafe larger
    }
    slotCount += 1
    return Int32(truncatingIfNeeded: slotCount - 1)
  }

  /// Forgets the entities for which `isOver` returns true.
  ///
  /// - Returns: the numbers of the forgotten entities.
  @discardableResult
  func forget(_ isOver: (EntityState) -> Bool) -> [Int32] {
    var forgotten: [Int32] = []
    for slot in 0..<slotCount where unsafe states[slot].entity >= 0 && isOver(states[slot]) {
      let (page, index) = unsafe Int(states[slot].entity).quotientAndRemainder(
        dividingBy: Self.pageSize)
      pages[page][index] = -1
      unsafe forgotten.append(states[slot].entity)
      unsafe stayCount -= states[slot].stays.count
      unsafe states[slot] = EntityState()
      free.append(Int32(truncatingIfNeeded: slot))
      count -= 1
    }
    return forgotten
  }

  func forgetAll() {
    forget { _ in true }
    pages = []
  }
}

/// The clock of a feed. Its time is the latest time that at least two of the feed's entities have
/// reached.
struct FeedClock {
  private var first: (entity: Int32, time: Int64) = (-1, .min)
  private var second: Int64 = .min

  /// The feed's time; nil before two entities have a time.
  var time: Int64? { second == .min ? nil : second }

  mutating func see(_ entity: Int32, _ time: Int64) {
    if entity == first.entity {
      first.time = max(first.time, time)
    } else if time > first.time {
      if first.entity >= 0 { second = first.time }
      first = (entity, time)
    } else {
      second = max(second, time)
    }
  }
}

/// Returns the number of milliseconds from one time to another. The number is approximate if the
/// difference overflows.
func span(from start: Int64, to end: Int64) -> Double {
  let (difference, isOver) = end.subtractingReportingOverflow(start)
  return isOver ? Double(end) - Double(start) : Double(difference)
}
