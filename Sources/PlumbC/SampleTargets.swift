import CPlumb
import Plumb

/// The caller's arrays that receive the results of a call.
struct SampleTargets: Sendable {
  private let columns: SharedPointer<UnsafePointer<plumb_column>>
  private let cells: SharedPointer<UnsafePointer<plumb_cells>>?
  private let count: Int

  /// - Throws: if the number of columns differs from the sampler's number of columns, or if a
  ///   column is not aligned.
  init(
    _ columns: UnsafePointer<plumb_column>?, _ columnCount: Int64,
    _ cells: UnsafePointer<plumb_cells>?, of sampler: Sampler, count: Int
  ) throws {
    guard columnCount == sampler.columns.count else {
      throw CallError.bad(
        "\(columnCount) columns, but the sampler has \(sampler.columns.count)")
    }
    guard let columns else { throw CallError.null("the columns") }
    for (number, column) in sampler.columns.enumerated() {
      let address = UInt(bitPattern: columns[number].values)
      let alignment = min(column.type.component.byteCount, 8)
      guard address % UInt(alignment) == 0 else {
        throw CallError.bad(
          "column \(number): its values of type \(column.type.name) are not aligned to "
            + "\(alignment) bytes")
      }
    }
    self.columns = SharedPointer(columns)
    self.cells = cells.map { SharedPointer($0) }
    self.count = count
  }

  /// Returns the memory for the results of a raster. It consists of the caller's arrays, except for
  /// columns with scaled values.
  ///
  /// - Parameter first: the index of the raster's first column.
  func answer(of sampler: RasterSampler, raster: Int, first: Int, _ all: [Sampler.Column])
    -> RasterAnswer
  {
    sampler.makeAnswer(of: raster, count: count, keepsProvenance: includesCells(of: raster)) {
      position, type in
      let target = columns.pointer[first + position]
      // Scaled values are computed from the stored values, which need separate memory.
      return ValueColumn(
        pixelType: type, count: count,
        values: all[first + position].isScaled ? nil : target.values, status: target.statuses)
    }
  }

  private func includesCells(of raster: Int) -> Bool {
    guard let cells = cells?.pointer[raster] else { return false }
    return cells.file != nil || cells.column != nil || cells.row != nil
  }

  /// Copies the results that are not computed in the caller's arrays: scaled values, and the file,
  /// column and row of each point's cell.
  func finish(_ answers: [RasterAnswer], _ sampler: Sampler) {
    for (number, column) in sampler.columns.enumerated() where column.isScaled {
      guard let values = columns.pointer[number].values else { continue }
      let stored = answers[column.raster].columns[column.position]
      let target = SharedPointer(values.assumingMemoryBound(to: Double.self))
      sampler.workers.runRanges(count, grain: 1 << 16) { _, range in
        stored.scale(range, column.band, into: target.pointer)
      }
    }
    guard let cells else { return }
    for (raster, answer) in answers.enumerated() {
      guard let provenance = answer.provenance else { continue }
      let target = cells.pointer[raster]
      target.file?.update(from: provenance.member.base, count: count)
      target.column?.update(from: provenance.column.base, count: count)
      target.row?.update(from: provenance.row.base, count: count)
    }
  }
}

extension ValueColumn {
  /// Writes the values of some rows, with a band's scale and offset applied.
  fileprivate func scale(
    _ rows: Range<Int>, _ band: Band, into target: UnsafeMutablePointer<Double>
  ) {
    switch pixelType {
    case .uint8: scale(rows, band, target) { (value: UInt8) in Double(value) }
    case .int8: scale(rows, band, target) { (value: Int8) in Double(value) }
    case .uint16: scale(rows, band, target) { (value: UInt16) in Double(value) }
    case .int16: scale(rows, band, target) { (value: Int16) in Double(value) }
    case .uint32: scale(rows, band, target) { (value: UInt32) in Double(value) }
    case .int32: scale(rows, band, target) { (value: Int32) in Double(value) }
    case .uint64: scale(rows, band, target) { (value: UInt64) in Double(value) }
    case .int64: scale(rows, band, target) { (value: Int64) in Double(value) }
    case .float32: scale(rows, band, target) { (value: Float) in Double(value) }
    case .float64: scale(rows, band, target) { (value: Double) in value }
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: break
    }
  }

  @inline(__always)
  private func scale<Stored: BitwiseCopyable>(
    _ rows: Range<Int>, _ band: Band, _ target: UnsafeMutablePointer<Double>,
    _ number: (Stored) -> Double
  ) {
    let values = bytes.assumingMemoryBound(to: Stored.self)
    let (scale, offset) = (band.scale, band.offset)
    for row in rows { target[row] = number(values[row]) * scale + offset }
  }
}
