import PlumbCore
import Synchronization

/// A temporary file for binary data.
package protocol ZonalSpillFile: Sendable {
  /// Reserves bytes at the end of the file and returns their offset.
  func reserve(_ byteCount: Int) -> Int
  /// Writes bytes at a reserved offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws
  /// Fills memory with bytes that were written at an offset.
  func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws
}

/// Sorted runs of distinct values in a temporary file. The runs are merged when they are read.
struct ZonalRuns: Sendable {
  typealias Entry = ZonalDistribution.Entry

  private let file: any ZonalSpillFile
  /// The offset of each run in the file, and its number of entries.
  private var runs: [(offset: Int, count: Int)] = []
  private let lastFailure: Failure

  /// The error of reading the file.
  private final class Failure: Sendable {
    let error = Mutex<(any Error)?>(nil)
  }

  /// The total number of entries in all buffers, and the minimum number of entries in the buffer of
  /// one run.
  private static let (bufferedEntries, leastEntries) = (1 << 20, 1 << 8)

  init(_ file: any ZonalSpillFile) {
    self.file = file
    lastFailure = Failure()
  }

  /// The error of reading the file; nil if no error occurred.
  var failure: (any Error)? { lastFailure.error.withLock { $0 } }

  /// Writes entries, which must be in ascending order, as a run.
  mutating func append(_ entries: [Entry]) throws {
    try entries.withUnsafeBytes { bytes in
      let offset = file.reserve(bytes.count)
      try file.write(bytes, at: offset)
      runs.append((offset, entries.count))
    }
  }

  /// The entries of a run that have not been merged yet.
  private struct Cursor {
    var run: (offset: Int, count: Int)
    var buffer: [Entry] = []
    var position = 0

    var current: Entry { buffer[position] }

    /// Moves to the next entry. Returns false at the end of the run.
    mutating func advance(_ file: any ZonalSpillFile, _ limit: Int) throws -> Bool {
      position += 1
      if position < buffer.count { return true }
      let count = min(limit, run.count)
      guard count > 0 else { return false }
      buffer = try [Entry](unsafeUninitializedCapacity: count) { buffer, filled in
        try file.read(UnsafeMutableRawBufferPointer(buffer), at: run.offset)
        filled = count
      }
      run = (run.offset + count * MemoryLayout<Entry>.stride, run.count - count)
      position = 0
      return true
    }
  }

  /// Calls a function with each distinct value in ascending order, until it returns false.
  func forEach(_ body: (Entry) -> Bool) {
    do {
      try merge(body)
    } catch {
      lastFailure.error.withLock { $0 = error }
    }
  }

  private func merge(_ body: (Entry) -> Bool) throws {
    let limit = max(Self.leastEntries, Self.bufferedEntries / max(1, runs.count))
    var cursors: [Cursor] = []
    for run in runs {
      var cursor = Cursor(run: run)
      if try cursor.advance(file, limit) { cursors.append(cursor) }
    }
    var heap = Array(cursors.indices)
    for index in heap.indices.reversed() { Self.sink(index, &heap, cursors) }
    var merged: Entry?
    while let first = heap.first {
      let entry = cursors[first].current
      if merged?.value == entry.value {
        merged?.add(entry)
      } else {
        // The results of cancelled work are not used.
        if let merged, !body(merged) || WorkCancellation.isCurrentCancelled { return }
        merged = entry
      }
      if try !cursors[first].advance(file, limit) {
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
      }
      if !heap.isEmpty { Self.sink(0, &heap, cursors) }
    }
    if let merged { _ = body(merged) }
  }

  /// Moves a run down in the heap until no run below it has a smaller value.
  private static func sink(_ start: Int, _ heap: inout [Int], _ cursors: [Cursor]) {
    var index = start
    let moved = heap[start]
    let value = cursors[moved].current.value
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count,
        cursors[heap[child + 1]].current.value < cursors[heap[child]].current.value
      {
        child += 1
      }
      guard cursors[heap[child]].current.value < value else { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = moved
  }
}
