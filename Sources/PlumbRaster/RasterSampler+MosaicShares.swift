import PlumbCore

/// A share of a mosaic's tiles, which all parts of a batch are asked for before the next share.
struct MosaicShare {
  /// The level of the tiles' files.
  var level: Int32
  /// The tiles, numbered among those of all files, ascending.
  var tiles: [Range<Int>] = []

  private static let (usualCount, leastBytes) = (16.0, Double(64 << 20))

  func holds(_ key: UInt64) -> Bool {
    var (low, high) = (0, tiles.count)
    while low < high {
      let middle = (low + high) / 2
      if tiles[middle].upperBound <= Int(key) { low = middle + 1 } else { high = middle }
    }
    return low < tiles.count && tiles[low].contains(Int(key))
  }

  /// Shares of up to so many bytes each, level by level, of the tiles that may have points.
  ///
  /// - Parameter tally: of the tiles of all files.
  static func shares(
    of raster: Raster, _ index: MosaicIndex, _ tally: TileTally, bands: [Int], room: Double
  ) -> [MosaicShare] {
    let levels = index.levels.levels
    var total = 0.0
    for member in raster.members.indices {
      let count = tally.ranges(within: index.members.keys(of: member)).reduce(0) { $0 + $1.count }
      total += raster.members[member].profile.tileBytes(of: bands) * Double(count)
    }
    // All points are looked up for each share: of many small ones that is the most work.
    let room = max(room, min(total / Self.usualCount, Self.leastBytes))
    var shares: [MosaicShare] = []
    var bytes = 0.0
    for member in raster.members.indices.sorted(by: { (levels[$0], $0) < (levels[$1], $1) }) {
      let tileBytes = raster.members[member].profile.tileBytes(of: bands)
      for tiles in tally.ranges(within: index.members.keys(of: member)) {
        let own = tileBytes * Double(tiles.count)
        if shares.last?.level != levels[member] || bytes + own > room {
          shares.append(MosaicShare(level: levels[member]))
          bytes = 0
        }
        shares[shares.count - 1].tiles.append(tiles)
        bytes += own
      }
    }
    // The points that no file holds get their statuses even so.
    return shares.isEmpty ? [MosaicShare(level: 0)] : shares
  }
}

extension TileTally {
  /// What the buckets have of some tiles, bucket by bucket.
  func ranges(within tiles: Range<Int>) -> [Range<Int>] {
    guard !tiles.isEmpty else { return [] }
    let wanted = tiles.lowerBound >> shift...(tiles.upperBound - 1) >> shift
    var (low, high) = (0, buckets.count)
    while low < high {
      let middle = (low + high) / 2
      if buckets[middle] < wanted.lowerBound { low = middle + 1 } else { high = middle }
    }
    return buckets[low...].prefix { $0 <= wanted.upperBound }.map { bucket in
      (bucket << shift..<(bucket + 1) << shift).clamped(to: tiles)
    }
  }
}

extension RasterSampler {
  /// Asks a mosaic share by share of its tiles, each of which is kept until all parts have been asked
  /// for it. Shares go up level by level, so that a point has asked every file before the one at hand
  /// when it comes to it.
  func sampleMosaicInShares<Parts: SampleParts>(
    _ index: Int, _ parts: Parts
  ) throws(Parts.Failure) {
    guard let mosaic = mosaicIndices[index] else { return }
    let request = requests[index]
    let tally = try tally(index, mosaic, parts)
    let shares = MosaicShare.shares(
      of: request.raster, mosaic, tally, bands: request.bands, room: cache.room)
    for (order, share) in shares.enumerated() {
      let kept = TileCache(capacity: TileCache.unbounded)
      for number in 0..<parts.partCount {
        try parts.withPart(
          number, references: referenceIndices[index], requests: [index], isFirst: order == 0
        ) { part in
          ask(
            share, MosaicSearch(request, mosaic, part.points), part, isFirst: order == 0,
            TileStore(cache: kept, keepsTiles: true))
        }
      }
      cache.count(kept.statistics)
    }
  }

  /// Asks a share of the tiles at the points of a part that come to them.
  private func ask(
    _ share: MosaicShare, _ search: MosaicSearch, _ part: SamplePart, isFirst: Bool,
    _ store: TileStore
  ) {
    let answer = part.answers[0]
    var visits = workers.mapRanges(part.range.count, grain: Self.grain) { worker, range in
      let block = CellBlock()
      var visits: [MosaicVisit] = []
      for i in range {
        let row = part.range.lowerBound + i
        if isFirst {
          markUnanswered(row, part.points, answer)
        } else if isAnswered(row, answer) {
          continue
        }
        if let visit = visit(of: share, search, row, answer, worker, block) {
          visits.append(visit)
        }
      }
      return visits
    }.flatMap { $0 }
    var level = share.level
    while !visits.isEmpty {
      ask(visits, search, answer, store)
      visits = workers.mapRanges(visits.count, grain: Self.grain) { [visits, level] worker, range in
        let block = CellBlock()
        var further: [MosaicVisit] = []
        for visit in visits[range] {
          keep(visit, search, answer)
          // A file that lies over this one by rounding alone, of which the levels know nothing, is
          // asked now.
          if !isAnswered(Int(visit.row), answer),
            let next = next(search, Int(visit.row), after: visit.member, answer, worker, block),
            search.level(of: next.member) <= level
          {
            further.append(next)
          }
        }
        return further
      }.flatMap { $0 }
      level += 1
    }
  }

  /// The point's way to a tile of the share; nil when it does not come to one, or not now.
  private func visit(
    of share: MosaicShare, _ search: MosaicSearch, _ row: Int, _ answer: RasterAnswer,
    _ worker: Int, _ block: borrowing CellBlock
  ) -> MosaicVisit? {
    var (member, level) = (Int32(-1), Int32(-1))
    while let visit = next(search, row, after: member, answer, worker, block) {
      member = visit.member
      let own = search.level(of: member)
      if own <= level {
        // It was asked right after the file before it.
        level += 1
        continue
      }
      level = own
      if level == share.level, share.holds(visit.key) { return visit }
      if level >= share.level { return nil }
    }
    return nil
  }

  /// Which tiles of a mosaic may have points: also those that a point does not come to since an
  /// earlier file answers.
  private func tally<Parts: SampleParts>(
    _ index: Int, _ mosaic: MosaicIndex, _ parts: Parts
  ) throws(Parts.Failure) -> TileTally {
    let request = requests[index]
    let tileCount = mosaic.members.tileCount
    let shift = TileTally.shift(ofTiles: tileCount)
    let marks = WorkerStates(count: workers.count) {
      TrivialBuffer<Bool>(count: max(0, tileCount - 1) >> shift + 1, zeroed: true)
    }
    for number in 0..<parts.partCount {
      try parts.withPart(
        number, references: referenceIndices[index], requests: [], isFirst: true
      ) { part in
        let search = MosaicSearch(request, mosaic, part.points)
        workers.runRanges(part.range.count, grain: Self.grain) { worker, range in
          let block = CellBlock()
          let marks = marks[worker].base
          for i in range {
            var member: Int32 = -1
            while case .cell(let next, let tile, _) = nextCell(
              search, part.range.lowerBound + i, after: member, worker: worker, block)
            {
              marks[Int(search.members.key(next, tile)) >> shift] = true
              member = next
            }
          }
        }
      }
    }
    return TileTally(shift: shift, marks)
  }
}

extension MosaicSearch {
  fileprivate func level(of member: Int32) -> Int32 { index.levels.levels[Int(member)] }
}
