import PlumbCore

/// A share of a mosaic's tiles, from `start` up to but excluding `end`. A share is read for all
/// parts of a batch before the next share is read.
struct MosaicShare {
  var start: MosaicTile
  var end: MosaicTile

  private static let (defaultCount, minimumBytes) = (16.0, Double(64 << 20))

  /// Divides all tiles into shares. In each share, the tiles that may contain points have a total
  /// size of at most about `available` bytes.
  ///
  /// - Parameter counts: the tiles of all files that may contain points.
  static func shares(
    of raster: Raster, _ index: MosaicIndex, _ counts: TileCounts, bands: [Int], available: Double
  ) -> [MosaicShare] {
    let levels = index.levels.levels
    let members = raster.members.indices.map { member in
      (
        tiles: counts.ranges(within: index.members.keys(of: member)),
        tileBytes: raster.members[member].profile.tileBytes(of: bands)
      )
    }
    let total = members.reduce(0.0) { sum, member in
      sum + member.tileBytes * Double(member.tiles.reduce(0) { $0 + $1.count })
    }
    // For each share, all points are located again. With many small shares, this would take most of
    // the time.
    let available = max(available, min(total / Self.defaultCount, Self.minimumBytes))
    var starts = [MosaicTile.lowest]
    var bytes = 0.0
    for number in members.indices.sorted(by: { (levels[$0], $0) < (levels[$1], $1) }) {
      for tiles in members[number].tiles {
        let memberBytes = members[number].tileBytes * Double(tiles.count)
        if bytes > 0, bytes + memberBytes > available {
          starts.append(MosaicTile(level: Int(levels[number]), key: tiles.lowerBound))
          bytes = 0
        }
        bytes += memberBytes
      }
    }
    return zip(starts, starts.dropFirst() + [.highest]).map { MosaicShare(start: $0, end: $1) }
  }
}

extension TileCounts {
  /// The tiles that are both in a range and in the buckets, as one range per bucket.
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

/// Samples a mosaic whose tiles do not fit into memory, at points that are divided into parts.
struct MosaicShareSampling {
  let sampling: MosaicSampling
  let request: SampleRequest
  /// The index of the request.
  let index: Int
  let mosaic: MosaicIndex
  /// The indices of the request's CRSs.
  let references: [Int]

  private var reading: TileReading { sampling.reading }

  /// Reads a mosaic one share of its tiles at a time. The tiles of a share are kept until the share
  /// has been read for all parts. The order of the shares is the order in which points visit tiles.
  /// Therefore, all files that a point visits before the current share have already been read.
  func sample<Parts: SampleParts>(_ parts: Parts) throws(Parts.Failure) {
    let counts = try counts(parts)
    let shares = MosaicShare.shares(
      of: request.raster, mosaic, counts, bands: request.bands, available: reading.cache.available)
    for (order, share) in shares.enumerated() {
      let kept = TileCache(capacity: TileCache.unbounded)
      for number in 0..<parts.partCount {
        try parts.withPart(
          number, references: references, requests: [index], isFirst: order == 0
        ) { part in
          query(
            share, MosaicSearch(request, mosaic, part.points), part, isFirst: order == 0,
            TileStore(cache: kept, keepsTiles: true))
        }
      }
      reading.cache.count(kept.statistics)
    }
  }

  /// Reads a share of the tiles at the points of a part that visit these tiles.
  private func query(
    _ share: MosaicShare, _ search: MosaicSearch, _ part: SamplePart, isFirst: Bool,
    _ store: TileStore
  ) {
    let answer = part.answers[0]
    let first = reading.workers.mapRanges(part.range.count, grain: PointLocator.grain) {
      worker, range in
      let block = CellBlock()
      var visits: [MosaicVisit] = []
      for i in range {
        let row = part.range.lowerBound + i
        if isFirst {
          sampling.markUnanswered(row, part.points, answer)
        } else if sampling.isAnswered(row, answer) {
          continue
        }
        if let visit = firstVisit(to: share, search, row, answer, worker, block) {
          visits.append(visit)
        }
      }
      return visits
    }
    sampling.query(first, upTo: share.end, search, answer, store)
  }

  /// Returns a point's first visit to a tile of the share. Nil if the point does not visit a tile
  /// of the share, or if it visits a tile of a later share first.
  ///
  /// If the level of a file is not higher than the level of the point's previous file, the two
  /// files overlap only by a rounding error. The file is then read together with the previous file,
  /// regardless of its share.
  private func firstVisit(
    to share: MosaicShare, _ search: MosaicSearch, _ row: Int, _ answer: RasterAnswer,
    _ worker: Int, _ block: borrowing CellBlock
  ) -> MosaicVisit? {
    var (member, level) = (Int32(-1), -1)
    while let visit = sampling.next(search, row, after: member, answer, worker, block) {
      let tile = search.tile(of: visit)
      if tile.level > level, tile >= share.start { return tile < share.end ? visit : nil }
      (member, level) = (visit.member, MosaicQueue.level(tile.level, after: level))
    }
    return nil
  }

  /// The tiles of a mosaic that may contain points. They include tiles that no point visits because
  /// an earlier file has the value.
  private func counts<Parts: SampleParts>(
    _ parts: Parts
  ) throws(Parts.Failure) -> TileCounts {
    let tileCount = mosaic.members.tileCount
    let shift = TileCounts.shift(ofTiles: tileCount)
    let marks = WorkerStates(count: reading.workers.count) {
      TrivialBuffer<Bool>(count: max(0, tileCount - 1) >> shift + 1, zeroed: true)
    }
    for number in 0..<parts.partCount {
      try parts.withPart(
        number, references: references, requests: [], isFirst: true
      ) { part in
        let search = MosaicSearch(request, mosaic, part.points)
        reading.workers.runRanges(part.range.count, grain: PointLocator.grain) { worker, range in
          let block = CellBlock()
          let marks = marks[worker].base
          for i in range {
            var member: Int32 = -1
            while case .cell(let next, let tile, _) = sampling.nextCell(
              search, part.range.lowerBound + i, after: member, worker: worker, block)
            {
              marks[Int(search.members.key(next, tile)) >> shift] = true
              member = next
            }
          }
        }
      }
    }
    return TileCounts(shift: shift, marks)
  }
}
