import PlumbCore
import Synchronization

/// One decoded tile. Readers hold it while they use it; the cache may let go of it meanwhile.
///
/// - Invariant: written by the one thread that decodes it, before anyone else sees it.
public final class TileBuffer: @unchecked Sendable {
  /// The tile's cells, row by row, all bands of a cell together where the file is interleaved.
  public let bytes: UnsafeMutableRawBufferPointer
  private let slab: TileArena.Slab?
  private let arena: TileArena?

  /// - Parameter arena: where the memory comes from; nil, or a tile too large for it, takes its own.
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

/// Memory for many tiles of one size, a large page at a time. A page goes back to the system when
/// its last tile does.
final class TileArena: Sendable {
  /// A large page cut into slots of one size.
  ///
  /// - Invariant: the free slots are used under the arena's lock alone.
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

  /// A larger tile would leave much of a page unused.
  static let largestTile = LargeMemory.pageSize / 8

  private struct State {
    /// Slabs with a free slot, by slot size.
    var open: [Int: [Slab]] = [:]
    var slabCount = 0
  }

  private let state = Mutex(State())

  /// Bytes of all slabs.
  var byteCount: Int { state.withLock { $0.slabCount } * LargeMemory.pageSize }

  /// - Returns: nil when the tile is too large.
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
