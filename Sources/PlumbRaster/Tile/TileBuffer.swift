import PlumbCore
import Synchronization

/// One decoded tile. Readers retain the buffer while they use it, because the cache may evict it in
/// the meantime.
///
/// - Invariant: only the thread that decodes the tile writes to the buffer, before other threads
///   can access it.
public final class TileBuffer: @unchecked Sendable {
  /// The tile's cells, row by row. If the file is interleaved, all bands of a cell are adjacent.
  public let bytes: UnsafeMutableRawBufferPointer
  private let slab: TileArena.Slab?
  private let arena: TileArena?

  /// - Parameter arena: the arena to allocate from. If it is nil, or if the tile is too large for
  ///   the arena, the memory is allocated separately.
  init(byteCount: Int, arena: TileArena? = nil) {
    if let arena, let (slab, memory) = arena.allocate(byteCount: byteCount) {
      (self.arena, self.slab) = (arena, slab)
      bytes = UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    } else {
      (self.arena, self.slab) = (nil, nil)
      bytes = UnsafeMutableRawBufferPointer(
        start: LargeMemory.allocate(byteCount: byteCount), count: byteCount)
    }
  }

  deinit {
    guard let memory = bytes.baseAddress else { return }
    if let arena, let slab {
      arena.release(memory, in: slab)
    } else {
      LargeMemory.deallocate(memory, byteCount: bytes.count)
    }
  }
}

/// Allocates memory for many tiles of one size from huge pages. A page is returned to the operating
/// system when its last tile is freed.
final class TileArena: Sendable {
  /// A huge page that is divided into slots of one size.
  ///
  /// - Invariant: the free slots are accessed only while the arena's lock is held.
  final class Slab: @unchecked Sendable {
    let slotSize: Int
    let base = LargeMemory.allocate(byteCount: LargeMemory.pageSize)
    fileprivate var freeSlots: [UInt32]

    fileprivate init(slotSize: Int) {
      self.slotSize = slotSize
      freeSlots = (0..<UInt32(LargeMemory.pageSize / slotSize)).reversed()
    }

    deinit { LargeMemory.deallocate(base, byteCount: LargeMemory.pageSize) }
  }

  /// The size of the largest tile in bytes. Larger tiles would leave much of a page unused.
  static let largestTile = LargeMemory.pageSize / 8

  private struct State {
    /// The slabs that have a free slot, by slot size.
    var open: [Int: [Slab]] = [:]
    var slabCount = 0
  }

  private let state = Mutex(State())

  /// The total size of all slabs in bytes.
  var byteCount: Int { state.withLock { $0.slabCount } * LargeMemory.pageSize }

  /// - Returns: nil if the tile is too large.
  func allocate(byteCount: Int) -> (Slab, UnsafeMutableRawPointer)? {
    guard byteCount > 0, byteCount <= Self.largestTile else { return nil }
    let slotSize = (byteCount + 63) & ~63
    return state.withLock { state in
      let slab: Slab
      if let known = state.open[slotSize]?.last {
        slab = known
      } else {
        slab = Slab(slotSize: slotSize)
        state.open[slotSize] = [slab]
        state.slabCount += 1
      }
      let slot = slab.freeSlots.removeLast()
      if slab.freeSlots.isEmpty { state.open[slotSize]?.removeLast() }
      return (slab, slab.base + Int(slot) * slotSize)
    }
  }

  func release(_ memory: UnsafeMutableRawPointer, in slab: Slab) {
    state.withLock { state in
      let slot = UInt32((memory - slab.base) / slab.slotSize)
      if slab.freeSlots.isEmpty { state.open[slab.slotSize, default: []].append(slab) }
      slab.freeSlots.append(slot)
      if slab.freeSlots.count == LargeMemory.pageSize / slab.slotSize {
        state.open[slab.slotSize]?.removeAll { $0 === slab }
        state.slabCount -= 1
      }
    }
  }
}
