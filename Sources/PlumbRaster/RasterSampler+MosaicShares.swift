import PlumbCore

/// A tile of a mosaic in the order in which a point comes to tiles: by its file's level, and then by its
/// number among those of all files.
struct MosaicTile: Comparable {
  var level: Int32
  var key: Int

  static func < (a: MosaicTile, b: MosaicTile) -> Bool { (a.level, a.key) < (b.level, b.key) }
}

/// A share of a mosaic's tiles, which all parts of a batch are asked for before the next share: those
/// from one to another.
struct MosaicShare {
  var start: MosaicTile
  /// The first tile behind the share.
  var end: MosaicTile

  private static let (usualCount, leastBytes) = (16.0, Double(64 << 20))
  private static let lowest = MosaicTile(level: -1, key: 0)
  private static let highest = MosaicTile(level: .max, key: 0)

  /// All tiles in shares of up to so many bytes each that may be asked for.
  ///
  /// - Parameter tally: of the tiles of all files.
  static func shares(
    of raster: Raster, _ index: MosaicIndex, _ tally: TileTally, bands: [Int], room: Double
  ) -> [MosaicShare] {
    let levels = index.levels.levels
    let members = raster.members.indices.map { member in
      (
        tiles: tally.ranges(within: index.members.keys(of: member)),
        tileBytes: raster.members[member].profile.tileBytes(of: bands)
      )
    }
    let total = members.reduce(0.0) { sum, member in
      sum + member.tileBytes * Double(member.tiles.reduce(0) { $0 + $1.count })
    }
    // All points are looked up for each share: of many small ones that is the most work.
    let room = max(room, min(total / Self.usualCount, Self.leastBytes))
    var starts = [lowest]
    var bytes = 0.0
    for number in members.indices.sorted(by: { (levels[$0], $0) < (levels[$1], $1) }) {
      for tiles in members[number].tiles {
        let own = members[number].tileBytes * Double(tiles.count)
        if bytes > 0, bytes + own > room {
          starts.append(MosaicTile(level: levels[number], key: tiles.lowerBound))
          bytes = 0
        }
        bytes += own
      }
    }
    return zip(starts, starts.dropFirst() + [highest]).map { MosaicShare(start: $0, end: $1) }
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
  /// for it. Shares follow each other in the order in which a point comes to tiles, so that it has asked
  /// every file before the one at hand when it comes to that.
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
    var steps = workers.mapRanges(part.range.count, grain: Self.grain) { worker, range in
      let block = CellBlock()
      var steps: [MosaicStep] = []
      for i in range {
        let row = part.range.lowerBound + i
        if isFirst {
          markUnanswered(row, part.points, answer)
        } else if isAnswered(row, answer) {
          continue
        }
        if let step = firstStep(in: share, search, row, answer, worker, block) {
          steps.append(step)
        }
      }
      return steps
    }.flatMap { $0 }
    while !steps.isEmpty {
      ask(steps.map(\.visit), search, answer, store)
      steps = workers.mapRanges(steps.count, grain: Self.grain) { [steps] worker, range in
        let block = CellBlock()
        var further: [MosaicStep] = []
        for step in steps[range] {
          keep(step.visit, search, answer)
          let row = Int(step.visit.row)
          if !isAnswered(row, answer),
            let visit = next(search, row, after: step.visit.member, answer, worker, block)
          {
            let next = MosaicStep(visit, after: step.level, search)
            if next.isStray || next.tile < share.end { further.append(next) }
          }
        }
        return further
      }.flatMap { $0 }
    }
  }

  /// Where a point first comes to a tile of the share; nil when it does not come to one, or not now.
  private func firstStep(
    in share: MosaicShare, _ search: MosaicSearch, _ row: Int, _ answer: RasterAnswer,
    _ worker: Int, _ block: borrowing CellBlock
  ) -> MosaicStep? {
    var (member, level) = (Int32(-1), Int32(-1))
    while let visit = next(search, row, after: member, answer, worker, block) {
      let step = MosaicStep(visit, after: level, search)
      if !step.isStray, step.tile >= share.start { return step.tile < share.end ? step : nil }
      (member, level) = (visit.member, step.level)
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

/// A point on its way from file to file of a mosaic.
private struct MosaicStep {
  let visit: MosaicVisit
  /// Above those of all files before.
  let level: Int32
  /// Whether the file lies over the one before by rounding alone, of which the levels know nothing: it
  /// is asked right after that one.
  let isStray: Bool

  var tile: MosaicTile { MosaicTile(level: level, key: Int(visit.key)) }

  init(_ visit: MosaicVisit, after level: Int32, _ search: MosaicSearch) {
    self.visit = visit
    let own = search.index.levels.levels[Int(visit.member)]
    isStray = own <= level
    self.level = max(own, level + 1)
  }
}
