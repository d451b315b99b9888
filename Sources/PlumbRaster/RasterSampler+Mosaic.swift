import PlumbCore
import Synchronization

extension RasterSampler {
  /// Reads a mosaic at the points of a range. Each point asks its files one after another until
  /// one gives a value in an asked band; all points ask their next file together, so that each
  /// tile is still read once a round. A file that cannot be read, or whose own mapping does not
  /// work, ends the search: it may have held the value.
  func sampleMosaic(
    _ index: Int, _ coordinates: [PointCoordinates], _ range: Range<Int>, _ answer: RasterAnswer
  ) {
    guard let mosaic = mosaicIndices[index] else { return }
    let raster = requests[index].raster
    let points = referenceIndices[index].map { coordinates[$0] }
    let count = range.count
    let current = TrivialBuffer<Int32>(count: count)
    let isOpen = TrivialBuffer<Bool>(count: count)
    for i in 0..<count {
      current.base[i] = -1
      isOpen.base[i] = true
      markUnanswered(range.lowerBound + i, points, answer)
    }
    let keys = TrivialBuffer<UInt64>(count: count)
    let offsets = TrivialBuffer<UInt32>(count: count)
    while true {
      let open = Atomic<Int>(0)
      workers.runRanges(count, grain: Self.grain) { worker, part in
        let block = CellBlock()
        var found = 0
        for i in part {
          keys.base[i] = LocationPlan.noKey
          guard isOpen.base[i] else { continue }
          let point = range.lowerBound + i
          switch nextCell(
            of: raster, mosaic, points, point: point, after: current.base[i], worker: worker,
            block)
          {
          case .cell(let member, let tile, let offset):
            current.base[i] = member
            keys.base[i] = UInt64(member) << 32 | UInt64(tile)
            offsets.base[i] = offset
            found += 1
          case .unmapped:
            mark(point, .transformFailed, answer)
            isOpen.base[i] = false
          case .nowhere:
            isOpen.base[i] = false
          }
        }
        open.wrappingAdd(found, ordering: .relaxed)
      }
      if open.load(ordering: .relaxed) == 0 { return }
      if resampling == .nearest {
        readRound(index, keys, offsets, range, answer)
      } else {
        interpolateRound(index, current, isOpen, points, range, answer)
      }
      close(index, current, isOpen, keys, offsets, range, answer)
    }
  }

  /// Reads the cells that the points of one round have come to.
  private func readRound(
    _ index: Int, _ keys: TrivialBuffer<UInt64>, _ offsets: TrivialBuffer<UInt32>,
    _ range: Range<Int>, _ answer: RasterAnswer
  ) {
    let raster = requests[index].raster
    let plan = LocationPlan(
      keys: keys, offsets: offsets, count: range.count, keyLimit: Int.max,
      firstIndex: range.lowerBound, workers: workers)
    tileWorkers(raster.members).run(plan.groups.count) { worker, job in
      let group = plan.groups[job]
      let member = Int(group.key >> 32)
      readMember(
        raster, member, tile: Int(group.key & 0xFFFF_FFFF), entries: plan.entries(of: group),
        bands: requests[index].bands, columns: answer.columns, worker: worker)
    }
  }

  /// Reads a tile of a member into columns of the mosaic's types.
  private func readMember(
    _ raster: Raster, _ member: Int, tile: Int, entries: UnsafeBufferPointer<PlanEntry>,
    bands: [Int], columns: [ValueColumn], worker: Int
  ) {
    let source = raster.members[member]
    let id = raster.firstSourceID + UInt32(member)
    let types = bands.map { source.profile.bands[$0].pixelType }
    if zip(types, columns).allSatisfy({ $0 == $1.pixelType }) {
      readTile(
        source, id: id, tile: tile, entries: entries, bands: bands, columns: columns,
        worker: worker)
      return
    }
    let packed = TrivialBuffer<PlanEntry>(count: entries.count)
    for (i, entry) in entries.enumerated() {
      packed.base[i] = PlanEntry(offset: entry.offset, index: UInt32(i))
    }
    let own = types.map { ValueColumn(pixelType: $0, count: entries.count) }
    readTile(
      source, id: id, tile: tile, entries: UnsafeBufferPointer(packed.pointer), bands: bands,
      columns: own, worker: worker)
    for (from, to) in zip(own, columns) {
      for (i, entry) in entries.enumerated() {
        to.status.base[Int(entry.index)] = from.status.base[i]
        from[i]?.store(
          as: to.pixelType, at: to.bytes + Int(entry.index) * to.pixelType.byteCount)
      }
    }
  }

  /// Interpolates, member by member, the points that have come to one in this round.
  private func interpolateRound(
    _ index: Int, _ current: TrivialBuffer<Int32>, _ isOpen: TrivialBuffer<Bool>,
    _ points: [PointCoordinates], _ range: Range<Int>, _ answer: RasterAnswer
  ) {
    let raster = requests[index].raster
    var lists: [Int32: [UInt32]] = [:]
    for i in 0..<range.count where isOpen.base[i] {
      lists[current.base[i], default: []].append(UInt32(range.lowerBound + i))
    }
    for (member, list) in lists.sorted(by: { $0.key < $1.key }) {
      interpolate(
        raster.members[Int(member)], id: raster.firstSourceID + UInt32(member),
        bands: requests[index].bands, points[raster.memberReferences[Int(member)]], list,
        answer.columns)
    }
  }

  /// Closes the points that have an answer, and keeps the cell each has come to.
  private func close(
    _ index: Int, _ current: TrivialBuffer<Int32>, _ isOpen: TrivialBuffer<Bool>,
    _ keys: TrivialBuffer<UInt64>, _ offsets: TrivialBuffer<UInt32>, _ range: Range<Int>,
    _ answer: RasterAnswer
  ) {
    let members = requests[index].raster.members
    for i in 0..<range.count where isOpen.base[i] {
      let point = range.lowerBound + i
      if let provenance = answer.provenance {
        let member = Int(current.base[i])
        let cell = members[member].profile.grid.cell(
          tile: Int(keys.base[i] & 0xFFFF_FFFF), offset: Int(offsets.base[i]))
        provenance.member.base[point] = Int32(member)
        provenance.column.base[point] = Int32(cell.column)
        provenance.row.base[point] = Int32(cell.row)
      }
      for column in answer.valueColumns {
        let status = answer.columns[column].status.base[point]
        if status == SampleStatus.ok.rawValue || status == SampleStatus.readError.rawValue {
          isOpen.base[i] = false
        }
      }
    }
  }

  /// The status of a point before any file has answered: outside when some reference could take
  /// it, else why not.
  private func markUnanswered(
    _ point: Int, _ points: [PointCoordinates], _ answer: RasterAnswer
  ) {
    var status = SampleStatus.outside.rawValue
    if !points.contains(where: { isOK($0, point) }) {
      status = points[0].status?[point] ?? status
    }
    mark(point, SampleStatus(rawValue: status) ?? .outside, answer)
  }

  /// Gives a point that no file has answered a status.
  private func mark(_ point: Int, _ status: SampleStatus, _ answer: RasterAnswer) {
    for column in answer.columns { column.status.base[point] = status.rawValue }
    if let provenance = answer.provenance {
      provenance.member.base[point] = -1
      provenance.column.base[point] = -1
      provenance.row.base[point] = -1
    }
  }

  /// What comes next for a point in a mosaic.
  enum NextCell {
    case cell(member: Int32, tile: UInt32, offset: UInt32)
    /// A member whose control points or polynomials cannot be used: it may hold the point.
    case unmapped
    case nowhere
  }

  /// The next member after `previous` with a cell at the point, and that cell.
  func nextCell(
    of raster: Raster, _ mosaic: MosaicIndex, _ points: [PointCoordinates], point: Int,
    after previous: Int32, worker: Int, _ block: borrowing CellBlock
  ) -> NextCell {
    var previous = previous
    while let member = mosaic.next(after: previous, coordinates: points, point: point) {
      previous = member
      let source = raster.members[Int(member)]
      do throws(RasterError) {
        try locate(
          source, id: raster.firstSourceID + UInt32(member),
          coordinates: points[raster.memberReferences[Int(member)]], first: point, count: 1,
          worker: worker, into: block)
      } catch {
        keepFailure(source.path, error)
        return .unmapped
      }
      guard block.columns[0] >= 0 else { continue }
      let (tile, offset) = TileSplitter(source.profile.grid).split(
        column: block.columns[0], row: block.rows[0])
      return .cell(member: member, tile: tile, offset: offset)
    }
    return .nowhere
  }
}
