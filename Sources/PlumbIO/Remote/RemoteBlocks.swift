import PlumbCore

/// The parts of a remote file that are in memory or being fetched.
struct RemoteBlocks: Sendable {
  /// Bytes and their offset in the file.
  struct Block: Sendable {
    var start: Int
    var fetched: FetchedBytes

    var range: Range<Int> { start..<start + fetched.count }
  }

  /// The state of a range: in memory, being fetched, or neither.
  enum Found: Sendable {
    case present(Block)
    case coming(Download, start: Int)
    case absent
  }

  private struct Flight: Sendable {
    var range: Range<Int>
    var download: Download?
  }

  /// The blocks that are never evicted, by ascending start. They are not adjacent to each other.
  private var kept: [Block] = []
  /// The cached windows of short reads, with the most recently used at the end.
  private var windows: [Block] = []
  /// Downloads that a reader waits for.
  private var demanded: [Flight] = []
  /// The pieces of each prefetch by ascending start. The key is the number of the prefetch.
  private var ahead: [Int: [Flight]] = [:]
  private var nextFetch = 0

  mutating func find(_ range: Range<Int>) -> Found {
    if let block = kept.last(where: { $0.start <= range.lowerBound }), block.holds(range) {
      return .present(block)
    }
    if let (download, start) = flight(of: range) { return .coming(download, start: start) }
    if let index = windows.lastIndex(where: { $0.holds(range) }) {
      let block = windows.remove(at: index)
      windows.append(block)
      return .present(block)
    }
    if let flight = demanded.first(where: { $0.range.holds(range) }), let download = flight.download
    {
      return .coming(download, start: flight.range.lowerBound)
    }
    return .absent
  }

  /// Whether a prefetch, running or complete, contains a range.
  func isComing(_ range: Range<Int>) -> Bool { flight(of: range) != nil }

  private func flight(of range: Range<Int>) -> (download: Download, start: Int)? {
    for flights in ahead.values {
      let position = Self.position(of: range.lowerBound, in: flights)
      if position >= 0, flights[position].range.holds(range),
        let download = flights[position].download
      {
        return (download, flights[position].range.lowerBound)
      }
    }
    return nil
  }

  /// The index of the last piece that begins at or before an offset, in pieces sorted by start; -1
  /// if no piece does.
  private static func position(of offset: Int, in flights: [Flight]) -> Int {
    var (low, high) = (0, flights.count)
    while low < high {
      let middle = (low + high) / 2
      if flights[middle].range.lowerBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }

  // MARK: Downloads that readers wait for

  mutating func begin(_ download: Download, of range: Range<Int>) {
    demanded.append(Flight(range: range, download: download))
  }

  mutating func end(_ download: Download) { demanded.removeAll { $0.download === download } }

  mutating func add(window: FetchedBytes, at start: Int, maximum: Int) {
    windows.append(Block(start: start, fetched: window))
    if windows.count > maximum { windows.removeFirst() }
  }

  // MARK: Permanent blocks

  /// The parts of a range that are not in the blocks that are never evicted.
  func missing(_ range: Range<Int>) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = range.lowerBound
    for block in kept where block.range.overlaps(range) {
      if block.start > start { result.append(start..<block.start) }
      start = max(start, block.range.upperBound)
    }
    if start < range.upperBound { result.append(start..<range.upperBound) }
    return result
  }

  /// Adds bytes to the blocks that are never evicted, and merges them with adjacent blocks.
  mutating func keep(_ fetched: FetchedBytes, at start: Int) {
    let block = Block(start: start, fetched: fetched)
    let touching = kept.filter {
      $0.start <= block.range.upperBound && block.start <= $0.range.upperBound
    }
    kept.removeAll { other in touching.contains { $0.start == other.start } }
    let all = touching + [block]
    let first = all.reduce(block.start) { min($0, $1.start) }
    let end = all.reduce(block.range.upperBound) { max($0, $1.range.upperBound) }
    guard !touching.isEmpty else {
      kept.append(block)
      kept.sort { $0.start < $1.start }
      return
    }
    let buffer = TrivialBuffer<UInt8>(count: end - first)
    for part in all {
      UnsafeMutableRawPointer(buffer.base + (part.start - first)).copyMemory(
        from: part.fetched.buffer.base, byteCount: part.fetched.count)
    }
    kept.append(Block(start: first, fetched: FetchedBytes(buffer: buffer, count: end - first)))
    kept.sort { $0.start < $1.start }
  }

  // MARK: Prefetched pieces

  /// - Returns: the number of the prefetch.
  mutating func add(ahead pieces: [(range: Range<Int>, download: Download)]) -> Int {
    defer { nextFetch += 1 }
    ahead[nextFetch] = pieces.map { Flight(range: $0.range, download: $0.download) }
    return nextFetch
  }

  /// Removes one piece of a prefetch, or all of its pieces if `piece` is nil.
  ///
  /// - Returns: the downloads of the removed pieces.
  mutating func forget(_ fetch: Int, piece: Int?) -> [Download] {
    guard let piece else {
      return (ahead.removeValue(forKey: fetch) ?? []).compactMap(\.download)
    }
    guard let download = ahead[fetch]?[piece].download else { return [] }
    ahead[fetch]?[piece].download = nil
    return [download]
  }
}

extension RemoteBlocks.Block {
  func holds(_ range: Range<Int>) -> Bool { self.range.holds(range) }
}

extension Range<Int> {
  /// Whether this range contains another range.
  fileprivate func holds(_ range: Range<Int>) -> Bool {
    lowerBound <= range.lowerBound && range.upperBound <= upperBound
  }
}
