import PlumbCore

/// Reads mosaics at the points of a part.
struct MosaicSampling: Sendable {
  let reading: TileReading
  let resampling: Resampling

  private var locator: PointLocator { PointLocator(reading: reading) }
  private var interpolation: TileInterpolation {
    TileInterpolation(reading: reading, resampling: resampling)
  }

  /// Reads a mosaic at the points of a part. Each point is looked up in the files in order, until
  /// one file has a value in a requested band. The files are read level by level (see
  /// `MosaicLevels`), so that all points of a tile are read together. If a file cannot be read or
  /// its mapping fails, the search for the point ends, because the file may contain the value.
  func sample(_ search: MosaicSearch, _ part: SamplePart, _ store: TileStore) {
    let (points, answer) = (part.points, part.answers[0])
    let first = reading.workers.mapRanges(part.range.count, grain: PointLocator.grain) {
      worker, range in
      let block = CellBlock()
      var visits: [MosaicVisit] = []
      visits.reserveCapacity(range.count)
      for i in range {
        let row = part.range.lowerBound + i
        markUnanswered(row, points, answer)
        if let visit = next(search, row, after: -1, answer, worker, block) {
          visits.append(visit)
        }
      }
      return visits
    }
    query(first, upTo: .highest, search, answer, store)
  }

  /// Reads files at the points of the visits, then reads the next files for points that do not have
  /// a value yet.
  ///
  /// - Parameter end: the first tile that is not read in this call. If a file overlaps the previous
  ///   file only by a rounding error, its level is not higher; such a file is read regardless of
  ///   this limit.
  func query(
    _ first: [[MosaicVisit]], upTo end: MosaicTile, _ search: MosaicSearch,
    _ answer: RasterAnswer, _ store: TileStore
  ) {
    var waiting = MosaicQueue(search.index.levels)
    for visits in first { waiting.append(visits, after: -1) }
    while let (level, visits) = waiting.next() {
      query(visits, search, answer, store)
      let further = reading.workers.mapRanges(visits.count, grain: PointLocator.grain) {
        worker, range in
        let block = CellBlock()
        var further: [MosaicVisit] = []
        for visit in visits[range] {
          keep(visit, search, answer)
          if !isAnswered(Int(visit.row), answer),
            let following = next(search, Int(visit.row), after: visit.member, answer, worker, block)
          {
            let tile = search.tile(of: following)
            if tile.level <= level || tile < end { further.append(following) }
          }
        }
        return further
      }
      for visits in further { waiting.append(visits, after: level) }
    }
  }

  /// Reads files at the points of the visits.
  private func query(
    _ visits: [MosaicVisit], _ search: MosaicSearch, _ answer: RasterAnswer, _ store: TileStore
  ) {
    if resampling == .nearest {
      read(visits, search, answer, store)
    } else {
      interpolate(visits, search, answer, store)
    }
  }

  /// Reads the cells of the visits.
  private func read(
    _ visits: [MosaicVisit], _ search: MosaicSearch, _ answer: RasterAnswer, _ store: TileStore
  ) {
    let raster = search.request.raster
    let count = visits.count
    let keys = TrivialBuffer<UInt64>(count: count)
    let offsets = TrivialBuffer<UInt32>(count: count)
    let rows = TrivialBuffer<UInt32>(count: count)
    for (i, visit) in visits.enumerated() {
      keys.base[i] = visit.key
      offsets.base[i] = visit.offset
      rows.base[i] = visit.row
    }
    let plan = LocationPlan(
      keys: keys, offsets: offsets, indices: rows, count: count, keyLimit: search.members.tileCount,
      firstIndex: 0, workers: reading.workers)
    reading.tileWorkers(raster.members).run(plan.groups.count) { worker, job in
      let group = plan.groups[job]
      let (member, tile) = search.members.memberAndTile(of: group.key)
      readMember(
        raster, member, tile: tile, entries: plan.entries(of: group),
        bands: search.request.bands, columns: answer.columns, store: store, worker: worker)
    }
  }

  /// Reads a tile of a member into columns of the mosaic's types.
  private func readMember(
    _ raster: Raster, _ member: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    bands: [Int], columns: [ValueColumn], store: TileStore, worker: Int
  ) {
    let source = raster.members[member]
    let id = raster.firstSourceID + UInt32(member)
    let types = bands.map { source.profile.bands[$0].pixelType }
    if zip(types, columns).allSatisfy({ $0 == $1.pixelType }) {
      reading.readTile(
        source, id: id, tile: tile, entries: entries,
        targets: BandColumns(bands, columns, of: source.profile), store: store, worker: worker)
      return
    }
    let packed = TrivialBuffer<PlanEntry>(count: entries.count)
    for (i, entry) in entries.enumerated() {
      packed.base[i] = PlanEntry(offset: entry.offset, index: UInt32(i))
    }
    let visitColumns = types.map { ValueColumn(pixelType: $0, count: entries.count) }
    reading.readTile(
      source, id: id, tile: tile, entries: UnsafeBufferPointer(packed.pointer),
      targets: BandColumns(bands, visitColumns, of: source.profile), store: store, worker: worker)
    for (from, to) in zip(visitColumns, columns) {
      for (i, entry) in entries.enumerated() {
        to.status.base[Int(entry.index)] = from.status.base[i]
        from[i]?.store(
          as: to.pixelType, at: to.bytes + Int(entry.index) * to.pixelType.byteCount)
      }
    }
  }

  /// Interpolates at the points of the visits, member by member.
  private func interpolate(
    _ visits: [MosaicVisit], _ search: MosaicSearch, _ answer: RasterAnswer, _ store: TileStore
  ) {
    let raster = search.request.raster
    var lists: [Int32: [UInt32]] = [:]
    for visit in visits { lists[visit.member, default: []].append(visit.row) }
    for (member, list) in lists.sorted(by: { $0.key < $1.key }) {
      interpolation.interpolate(
        raster.members[Int(member)], id: raster.firstSourceID + UInt32(member),
        bands: search.request.bands, search.points[raster.memberReferences[Int(member)]], list,
        answer.columns, store)
    }
  }

  /// Stores the cell of a visit as the provenance of the value.
  func keep(_ visit: MosaicVisit, _ search: MosaicSearch, _ answer: RasterAnswer) {
    guard let provenance = answer.provenance else { return }
    let (member, tile) = (Int(visit.member), search.members.tile(of: visit))
    let cell = search.request.raster.members[member].profile.grid.cell(
      tile: tile, offset: Int(visit.offset))
    provenance.member.base[Int(visit.row)] = visit.member
    provenance.column.base[Int(visit.row)] = Int32(cell.column)
    provenance.row.base[Int(visit.row)] = Int32(cell.row)
  }

  /// Whether a point has a value or a read error, so that no further file is needed for it.
  func isAnswered(_ row: Int, _ answer: RasterAnswer) -> Bool {
    answer.valueColumns.contains { column in
      let status = answer.columns[column].status.base[row]
      return status == SampleStatus.ok.rawValue || status == SampleStatus.readError.rawValue
    }
  }

  /// Sets the initial status of a point before any file is read. The status is `outside` if the
  /// point is valid in at least one CRS. Otherwise, it is the reason why the point is not valid.
  func markUnanswered(
    _ point: Int, _ points: [PointCoordinates], _ answer: RasterAnswer
  ) {
    var status = SampleStatus.outside.rawValue
    if !points.contains(where: { $0.isOK(point) }) {
      status = points[0].status?[point] ?? status
    }
    mark(point, SampleStatus(rawValue: status) ?? .outside, answer)
  }

  /// Sets the status of a point for which no file has a value.
  private func mark(_ point: Int, _ status: SampleStatus, _ answer: RasterAnswer) {
    for column in answer.columns { column.status.base[point] = status.rawValue }
    if let provenance = answer.provenance {
      provenance.member.base[point] = -1
      provenance.column.base[point] = -1
      provenance.row.base[point] = -1
    }
  }

  /// Returns a point's next visit after a file; nil if no later file has a cell at the point. If
  /// the mapping of the next file cannot be evaluated, sets the point's status.
  func next(
    _ search: MosaicSearch, _ row: Int, after member: Int32, _ answer: RasterAnswer,
    _ worker: Int, _ block: borrowing CellBlock
  ) -> MosaicVisit? {
    switch nextCell(search, row, after: member, worker: worker, block) {
    case .cell(let member, let tile, let offset):
      return MosaicVisit(
        key: search.members.key(member, tile), offset: offset, row: UInt32(truncatingIfNeeded: row),
        member: member)
    case .unmapped:
      mark(row, .transformFailed, answer)
      return nil
    case .nowhere: return nil
    }
  }

  /// Returns the next file after `previous` that has a cell at a point, with this cell.
  func nextCell(
    _ search: MosaicSearch, _ point: Int, after previous: Int32, worker: Int,
    _ block: borrowing CellBlock
  ) -> MosaicSearch.NextCell {
    var previous = previous
    while let member = search.index.next(
      after: previous, coordinates: search.points, point: point)
    {
      previous = member
      if let cell = search.members.cell(
        member, of: search.request.raster, search.points, point)
      {
        if cell.column >= 0 {
          return search.visit(member, column: cell.column, row: cell.row)
        }
        continue
      }
      let raster = search.request.raster
      let source = raster.members[Int(member)]
      do throws(RasterError) {
        try locator.locate(
          source, id: raster.firstSourceID + UInt32(member),
          coordinates: search.points[raster.memberReferences[Int(member)]], first: point,
          count: 1, worker: worker, into: block)
      } catch {
        reading.keepFailure(source.path, error)
        return .unmapped
      }
      if block.columns[0] >= 0 {
        return search.visit(member, column: block.columns[0], row: block.rows[0])
      }
    }
    return .nowhere
  }
}
