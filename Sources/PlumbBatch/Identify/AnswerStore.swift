import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Stores the results of all rows, raster by raster, until the rows are written. Results are kept
/// in memory up to a limit. Further results are stored in a temporary file.
final class AnswerStore {
  private enum Piece: Sendable {
    case memory(RasterAnswer)
    /// The offset in the file.
    case file(Int)
  }

  let sampler: RasterSampler
  let keepsProvenance: Bool
  /// Whether results have dates.
  private let keepsDates: Bool
  /// Whether results have, for each date, the distance from the point to the cell.
  private let keepsDistances: Bool
  /// The columns of each request; nil if the columns of a request are its bands.
  private let layouts: [DateLayout]?
  private let limit: Int
  private var byteCount = 0
  private var file: SpillFile?
  /// The rows of each part of the input, in ascending order.
  private let rows: [Range<Int>]
  /// The rows of each part.
  var parts: [Range<Int>] { rows }
  /// The stored results of each part, by request.
  private var pieces: [[Piece?]]

  /// - Parameters:
  ///   - rows: the rows of each part.
  ///   - limit: the maximum number of bytes in memory.
  init(
    _ sampler: RasterSampler, rows: [Range<Int>], keepsProvenance: Bool, keepsDates: Bool = false,
    keepsDistances: Bool = false, layouts: [DateLayout]? = nil, limit: Int
  ) {
    (self.keepsDates, self.layouts) = (keepsDates, layouts)
    self.keepsDistances = keepsDistances
    self.sampler = sampler
    self.rows = rows
    self.keepsProvenance = keepsProvenance
    self.limit = limit
    pieces = rows.map { _ in [Piece?](repeating: nil, count: sampler.requests.count) }
  }

  /// Returns the size in bytes of a request's result for one row.
  func rowBytes(of request: Int) -> Int {
    let extra = (keepsProvenance ? 12 : 0) + (keepsDates ? 20 : 0) + (keepsDistances ? 8 : 0)
    if let layouts { return layouts[request].types.reduce(extra) { $0 + 1 + $1.byteCount } }
    let bands = sampler.requests[request].raster.bands
    let values = sampler.requests[request].bands.reduce(0) { sum, band in
      sum + 1 + (sampler.resampling == .nearest ? bands[band].pixelType.byteCount : 8)
    }
    return values + extra
  }

  /// Allocates the memory for the results of a request.
  func makeAnswer(of request: Int, count: Int) -> RasterAnswer {
    Self.makeAnswer(
      sampler, layouts?[request], of: request, count: count, keepsProvenance, keepsDates,
      keepsDistances)
  }

  private static func makeAnswer(
    _ sampler: RasterSampler, _ layout: DateLayout?, of request: Int, count: Int,
    _ keepsProvenance: Bool, _ keepsDates: Bool, _ keepsDistances: Bool
  ) -> RasterAnswer {
    var answer =
      layout.map { layout in
        RasterAnswer(
          columns: layout.types.map { ValueColumn(pixelType: $0, count: count) },
          valueColumns: layout.valueColumns)
      }
      ?? sampler.makeAnswer(of: request, count: count, keepsProvenance: keepsProvenance)
    if keepsDates {
      answer.dates = RasterAnswer.Dates(count: count, hasDistances: keepsDistances)
    }
    return answer
  }

  /// Returns the stored results of a request for one part of the rows.
  func answer(of request: Int, part: Int) throws -> RasterAnswer {
    switch pieces[part][request] {
    case .memory(let answer): return answer
    case .file(let offset):
      let answer = makeAnswer(of: request, count: rows[part].count)
      try Self.copy(
        from: offset, of: rows[part].count, in: file, 0..<rows[part].count, to: answer, at: 0)
      return answer
    case nil: preconditionFailure("the request has no results for the part")
    }
  }

  /// Stores the results of a request for one part of the rows, or updates results in the file.
  /// Results in memory need no update, because they share the memory of `answer`.
  func keep(_ answer: RasterAnswer, of request: Int, part: Int) throws {
    let bytes = rowBytes(of: request) * rows[part].count
    switch pieces[part][request] {
    case .memory: return
    case .file(let offset): try write(answer, at: offset)
    case nil where byteCount + bytes <= limit:
      byteCount += bytes
      pieces[part][request] = .memory(answer)
    case nil:
      let file = try file ?? SpillFile()
      self.file = file
      let offset = file.reserve(bytes)
      try write(answer, at: offset)
      pieces[part][request] = .file(offset)
    }
  }

  /// Stores the results of requests for one part. The results are copied from a store in which the rows
  /// of the part have a different order and the columns are bands.
  ///
  /// - Parameters:
  ///   - sorted: the store in the other order.
  ///   - order: the index in the part of each row of `sorted`.
  ///   - limit: the number of requests whose results are in memory at the same time.
  func keep(
    _ requests: [Int], of part: Int, from sorted: AnswerStore, _ order: [UInt32],
    atOnce limit: Int, workers: Workers
  ) throws {
    let (rows, pieces, file) = (sorted.rows, sorted.pieces, sorted.file)
    for start in stride(from: 0, to: requests.count, by: limit) {
      try WorkCancellation.checkCurrent()
      let some = requests[start..<min(requests.count, start + limit)]
      let answers = try workers.map(some.count) { [sampler, keepsProvenance] _, index in
        let request = some[start + index]
        func make(_ count: Int) -> RasterAnswer {
          sampler.makeAnswer(of: request, count: count, keepsProvenance: keepsProvenance)
        }
        let result = make(order.count)
        for (rows, pieces) in zip(rows, pieces) {
          let answer: RasterAnswer
          switch pieces[request] {
          case .memory(let known): answer = known
          case .file(let offset):
            answer = make(rows.count)
            try Self.copy(from: offset, of: rows.count, in: file, 0..<rows.count, to: answer, at: 0)
          case nil: preconditionFailure("the request has no results for the part")
          }
          Self.scatter(answer, order[rows], to: result)
        }
        return result
      }
      for (request, answer) in zip(some, answers) { try keep(answer, of: request, part: part) }
    }
  }

  /// Copies results to the given rows of other results.
  private static func scatter(
    _ answer: RasterAnswer, _ rows: ArraySlice<UInt32>, to result: RasterAnswer
  ) {
    for (from, to) in zip(memory(answer), memory(result)) {
      switch from.size {
      case 1: scatter(from.bytes, rows, to: to.bytes, as: UInt8.self)
      case 2: scatter(from.bytes, rows, to: to.bytes, as: UInt16.self)
      case 4: scatter(from.bytes, rows, to: to.bytes, as: UInt32.self)
      case 8: scatter(from.bytes, rows, to: to.bytes, as: UInt64.self)
      default: scatter(from.bytes, rows, to: to.bytes, as: SIMD2<UInt64>.self)
      }
    }
  }

  private static func scatter<Value: BitwiseCopyable>(
    _ source: UnsafeMutableRawBufferPointer, _ rows: ArraySlice<UInt32>,
    to target: UnsafeMutableRawBufferPointer, as type: Value.Type
  ) {
    let (source, target) = (source.bindMemory(to: type), target.bindMemory(to: type))
    rows.withUnsafeBufferPointer { rows in
      for (index, row) in rows.enumerated() { target[Int(row)] = source[index] }
    }
  }

  /// Stores changed results.
  func update(_ answer: RasterAnswer, of request: Int, part: Int) throws {
    if case .file(let offset) = pieces[part][request] { try write(answer, at: offset) }
  }

  private func write(_ answer: RasterAnswer, at offset: Int) throws {
    var offset = offset
    for memory in Self.memory(answer) {
      try file?.write(UnsafeRawBufferPointer(memory.bytes), at: offset)
      offset += memory.bytes.count
    }
  }

  /// Returns the results of all requests for some rows.
  func answers(_ wanted: Range<Int>, workers: Workers) throws -> [RasterAnswer] {
    let first = rows.firstIndex { $0.upperBound > wanted.lowerBound } ?? rows.count
    if first < rows.count, rows[first] == wanted, file == nil {
      // The rows are one whole part in memory, so nothing has to be copied.
      return try sampler.requests.indices.map { try answer(of: $0, part: first) }
    }
    let (rows, pieces, file) = (rows, pieces, file)
    let parts = rows.indices[first...].prefix { rows[$0].lowerBound < wanted.upperBound }
    return try workers.map(sampler.requests.count) {
      [sampler, layouts, keepsProvenance, keepsDates, keepsDistances] _, request in
      let result = Self.makeAnswer(
        sampler, layouts?[request], of: request, count: wanted.count, keepsProvenance, keepsDates,
        keepsDistances)
      for part in parts {
        let rows = rows[part]
        let overlap = rows.clamped(to: wanted)
        let range = overlap.lowerBound - rows.lowerBound..<overlap.upperBound - rows.lowerBound
        let offset = overlap.lowerBound - wanted.lowerBound
        switch pieces[part][request] {
        case .memory(let answer): Self.copy(answer, range, to: result, at: offset)
        case .file(let start):
          try Self.copy(from: start, of: rows.count, in: file, range, to: result, at: offset)
        case nil: preconditionFailure("the request has no results for the part")
        }
      }
      return result
    }
  }

  private static func copy(
    _ answer: RasterAnswer, _ range: Range<Int>, to result: RasterAnswer, at offset: Int
  ) {
    for (from, to) in zip(memory(answer), memory(result)) {
      let (start, count) = (range.lowerBound * from.size, range.count * from.size)
      (to.bytes.baseAddress! + offset * to.size).copyMemory(
        from: from.bytes.baseAddress! + start, byteCount: count)
    }
  }

  /// - Parameters:
  ///   - start: the offset of the part's results in the file.
  ///   - count: the number of rows in the part.
  private static func copy(
    from start: Int, of count: Int, in file: SpillFile?, _ range: Range<Int>,
    to result: RasterAnswer, at offset: Int
  ) throws {
    var start = start
    for (bytes, size) in memory(result) {
      let target = UnsafeMutableRawBufferPointer(
        start: bytes.baseAddress! + offset * size, count: range.count * size)
      try file?.read(target, at: start + range.lowerBound * size)
      start += count * size
    }
  }

  /// Returns the memory blocks of some results, in the order in which the file stores the blocks,
  /// and the size in bytes of the elements of each block.
  static func memory(
    _ answer: RasterAnswer
  ) -> [(bytes: UnsafeMutableRawBufferPointer, size: Int)] {
    var memory: [(bytes: UnsafeMutableRawBufferPointer, size: Int)] = []
    func add(_ start: UnsafeMutableRawPointer, _ count: Int, _ size: Int) {
      memory.append((UnsafeMutableRawBufferPointer(start: start, count: count * size), size))
    }
    for column in answer.columns {
      add(column.bytes, column.count, column.pixelType.byteCount)
      add(column.status.base, column.count, 1)
    }
    if let provenance = answer.provenance {
      for cells in [provenance.member, provenance.column, provenance.row] {
        add(cells.base, cells.count, 4)
      }
    }
    if let dates = answer.dates {
      add(dates.time.base, dates.time.count, 8)
      add(dates.days.base, dates.days.count, 8)
      add(dates.tried.base, dates.tried.count, 4)
      if let distance = dates.distance { add(distance.base, distance.count, 8) }
    }
    return memory
  }
}

extension RasterAnswer {
  /// Copies all results of a row to a row of a result of the same request.
  func copyRow(_ row: Int, to target: RasterAnswer, at targetRow: Int) {
    for (from, to) in zip(AnswerStore.memory(self), AnswerStore.memory(target)) {
      guard let start = from.bytes.baseAddress, let end = to.bytes.baseAddress else { continue }
      (end + targetRow * to.size).copyMemory(from: start + row * from.size, byteCount: to.size)
    }
  }
}
