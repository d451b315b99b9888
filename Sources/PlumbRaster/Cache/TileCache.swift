import PlumbCore
import Synchronization

/// A cache of decoded tiles of all rasters, within one byte budget and shared by all workers.
///
/// If several threads request a tile concurrently, one thread decodes the tile while the others
/// wait. Eviction uses the second-chance (clock) algorithm: a tile that was used since the clock
/// hand last passed it is kept for another round.
public final class TileCache: Sendable {
  /// The identity of a tile in this process: the raster's file, the plane, and the tile number.
  public struct Key: Hashable, Sendable {
    /// The number that identifies the file in the process.
    public var source: UInt32
    /// The plane in the file: a band, all bands cell by cell, or a mask.
    public var plane: UInt32
    /// The number of the tile in its grid.
    public var tile: UInt32

    /// Creates the key of a tile.
    public init(source: UInt32, plane: UInt32, tile: UInt32) {
      self.source = source
      self.plane = plane
      self.tile = tile
    }
  }

  /// The statistics of the cache.
  public struct Statistics: Sendable {
    /// The number of distinct tiles that contained points of a batch; nil if there are too many to
    /// count in bounded memory.
    public var touchedTiles: Int? = 0
    /// The number of requests for tiles that were already cached.
    public var hits = 0
    /// The number of decoded tiles.
    public var decodedTiles = 0
    /// The total size of the decoded tiles in bytes.
    public var decodedBytes = 0

    /// Creates empty statistics.
    public init() {}
  }

  private final class Flight: Sendable {
    /// The decoded tile or the error; nil until decoding ends. It remains nil if decoding fails in
    /// cancelled work.
    let result = Mutex<Result<TileBuffer, RasterError>?>(nil)
  }

  private struct Slot {
    var key: Key
    var tile: TileBuffer
    var wasUsed: Bool
  }

  private struct PlaneKey: Hashable {
    var source: UInt32
    var plane: UInt32
  }

  private struct State {
    var points: [Key: Int] = [:]
    var flights: [Key: Flight] = [:]
    var residents: [PlaneKey: Int] = [:]
    var slots: [Slot] = []
    var hand = 0
    var usedBytes = 0
    var statistics = Statistics()
    var touched = TouchedTiles()

    mutating func evict(until limit: Int) {
      while usedBytes > limit, !slots.isEmpty {
        if hand >= slots.count { hand = 0 }
        if slots[hand].wasUsed {
          slots[hand].wasUsed = false
          hand += 1
          continue
        }
        remove(at: hand)
        // The slot that was moved to this index is the newest slot, so the hand skips it.
        hand += 1
        // New slots are appended at the end, so the hand must return to the start before it reaches
        // them.
        if hand >= slots.count { hand = 0 }
      }
    }

    /// Removes a slot. The last slot takes its place.
    mutating func remove(at index: Int) {
      let leaving = slots[index]
      usedBytes -= leaving.tile.bytes.count
      points[leaving.key] = nil
      residents[PlaneKey(source: leaving.key.source, plane: leaving.key.plane)]? -= 1
      let last = slots.removeLast()
      if index < slots.count {
        slots[index] = last
        points[last.key] = index
      }
    }

    mutating func insert(_ tile: TileBuffer, for key: Key, capacity: Int, arena: TileArena?) {
      if tile.bytes.count > capacity { return }
      evict(until: capacity - tile.bytes.count)
      // Partly empty slabs also use memory, so tiles are evicted until the slabs fit, too.
      while let arena, arena.byteCount > capacity + capacity / 8, usedBytes > 0 {
        evict(until: usedBytes - 1)
      }
      points[key] = slots.count
      residents[PlaneKey(source: key.source, plane: key.plane), default: 0] += 1
      slots.append(Slot(key: key, tile: tile, wasUsed: false))
      usedBytes += tile.bytes.count
    }
  }

  /// The capacity of a cache whose owner decides which tiles to evict.
  static let unbounded = 1 << 50

  /// The total size in bytes of tiles that certainly fit into the cache together, regardless of the
  /// size of each tile. It is less than `capacity`, because slots are larger than tiles.
  var available: Double { Double(capacity) * 7 / 8 }

  /// The budget in bytes. It does not include tiles in use; each worker uses at most one tile at a
  /// time.
  public let capacity: Int
  private let state = Mutex(State())
  /// The allocator for tiles; nil for small caches, whose tiles would not fill a slab.
  private let arena: TileArena?

  /// - Parameter capacity: the budget in bytes. The default is 512 MB.
  public init(capacity: Int = 512 << 20) {
    self.capacity = max(0, capacity)
    arena = capacity >= 32 << 20 ? TileArena() : nil
  }

  /// The statistics since the cache was created.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.touchedTiles = state.touched.count
      return statistics
    }
  }

  /// Returns the tile, from the cache or from `load`, which fills all of its bytes.
  public func tile(
    _ key: Key, byteCount: Int,
    load: (UnsafeMutableRawBufferPointer) throws(RasterError) -> Void
  ) throws(RasterError) -> TileBuffer {
    while true {
      switch find(key) {
      case .resident(let tile): return tile
      case .inFlight(let flight):
        if let result = flight.result.withLock({ $0 }) { return try result.get() }
      case .absent:
        if let result = decode(key, byteCount: byteCount, load) { return try result.get() }
      }
    }
  }

  /// Decodes a tile with `load` for all threads that wait for it. Returns nil if another thread has
  /// already begun to decode the tile.
  private func decode(
    _ key: Key, byteCount: Int,
    _ load: (UnsafeMutableRawBufferPointer) throws(RasterError) -> Void
  ) -> Result<TileBuffer, RasterError>? {
    let flight = Flight()
    // A flight is a tile that is being decoded. Threads that find a flight wait for its lock. The
    // lock is held until the result is set.
    return flight.result.withLock { slot -> Result<TileBuffer, RasterError>? in
      let isFirst = state.withLock { state in
        guard case .absent = Self.look(key, in: &state) else { return false }
        state.flights[key] = flight
        return true
      }
      guard isFirst else { return nil }
      let tile = TileBuffer(byteCount: byteCount, arena: arena)
      let result: Result<TileBuffer, RasterError>
      do throws(RasterError) {
        try load(tile.bytes)
        result = .success(tile)
        slot = result
      } catch {
        result = .failure(error)
        // If this thread's work was cancelled, its failure is not stored, so that the waiting
        // threads read the tile themselves.
        if !WorkCancellation.isCurrentCancelled { slot = result }
      }
      state.withLock { state in
        state.flights[key] = nil
        if case .success(let tile) = result {
          state.statistics.decodedTiles += 1
          state.statistics.decodedBytes += byteCount
          state.insert(tile, for: key, capacity: capacity, arena: arena)
        }
      }
      return result
    }
  }

  /// Returns the tile if it is cached, and marks it as used.
  public func resident(_ key: Key) -> TileBuffer? {
    if case .resident(let tile) = find(key) { return tile }
    return nil
  }

  /// Whether the tile is cached; does not count a hit and does not mark the tile as used.
  func holds(_ key: Key) -> Bool { state.withLock { $0.points[key] != nil } }

  /// Returns all tiles of a plane in order; nil unless all of them are cached.
  func residents(source: UInt32, plane: Int, tileCount: Int) -> [TileBuffer]? {
    state.withLock { state in
      let planeKey = PlaneKey(source: source, plane: UInt32(plane))
      guard state.residents[planeKey] == tileCount else { return nil }
      var tiles: [TileBuffer] = []
      tiles.reserveCapacity(tileCount)
      for tile in 0..<tileCount {
        let key = Key(source: source, plane: UInt32(plane), tile: UInt32(tile))
        guard let point = state.points[key] else { return nil }
        state.slots[point].wasUsed = true
        tiles.append(state.slots[point].tile)
      }
      state.statistics.hits += tileCount
      return tiles
    }
  }

  /// Records that points of a batch are in a tile.
  func touch(_ key: Key) { state.withLock { $0.touched.insert(key) } }

  /// Adds another cache's statistics.
  func count(_ other: Statistics) {
    state.withLock {
      $0.statistics.hits += other.hits
      $0.statistics.decodedTiles += other.decodedTiles
      $0.statistics.decodedBytes += other.decodedBytes
    }
  }

  /// Removes all tiles.
  package func empty() { drop(below: .max) }

  /// Removes the tiles with numbers below `tile` in all planes.
  func drop(below tile: Int) { drop { $0.tile < tile } }

  /// Removes the given tiles.
  func drop(_ keys: [Key]) {
    guard !keys.isEmpty else { return }
    state.withLock { state in
      for key in keys {
        if let index = state.points[key] { state.remove(at: index) }
      }
    }
  }

  /// Removes the tiles of files.
  func drop(sources: ClosedRange<UInt32>) { drop { sources.contains($0.source) } }

  private func drop(_ isDropped: (Key) -> Bool) {
    state.withLock { state in
      let kept = state.slots.filter { !isDropped($0.key) }
      guard kept.count < state.slots.count else { return }
      state.slots = kept
      (state.hand, state.usedBytes) = (0, 0)
      (state.points, state.residents) = ([:], [:])
      for (index, slot) in kept.enumerated() {
        state.points[slot.key] = index
        state.residents[
          PlaneKey(source: slot.key.source, plane: slot.key.plane), default: 0] += 1
        state.usedBytes += slot.tile.bytes.count
      }
    }
  }

  /// Counts a tile that was decoded but not cached.
  func countUncached(bytes: Int) {
    state.withLock {
      $0.statistics.decodedTiles += 1
      $0.statistics.decodedBytes += bytes
    }
  }

  private enum Lookup {
    case resident(TileBuffer)
    case inFlight(Flight)
    case absent
  }

  private static func look(_ key: Key, in state: inout State) -> Lookup {
    if let point = state.points[key] {
      state.slots[point].wasUsed = true
      state.statistics.hits += 1
      return .resident(state.slots[point].tile)
    }
    if let flight = state.flights[key] { return .inFlight(flight) }
    return .absent
  }

  private func find(_ key: Key) -> Lookup { state.withLock { Self.look(key, in: &$0) } }
}
