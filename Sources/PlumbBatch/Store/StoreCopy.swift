import PlumbCore
import PlumbFormats
import PlumbRaster

/// Copies the cells of a tile to a window. Applies the scale and offset if the variable requires it,
/// and the mask if there is one.
struct StoreCopy {
  /// The mask of a tile. A cell whose bytes are all 0 is masked.
  struct Mask {
    var source: UnsafeMutableRawPointer
    /// The number of bytes between consecutive cells.
    var stride: Int
    var size: Int
  }

  var source: UnsafeMutableRawPointer
  /// The number of bytes between consecutive cells of the tile.
  var stride: Int
  /// The cells of the tile in the raster.
  var tile: CellWindow
  /// The number of cells of a row of the tile, including cells beyond the edge of the raster.
  var tileWidth: Int
  var window: CellWindow
  /// The first cell of the window.
  var target: UnsafeMutableRawPointer
  var mask: Mask?

  /// A run of cells in one row of the tile and of the window.
  private struct Run {
    var from: UnsafeMutableRawPointer
    var to: UnsafeMutableRawPointer
    var count: Int
  }

  func run(_ variable: StoreVariable) {
    let size = variable.type.byteCount
    let first = (row: max(tile.row, window.row), column: max(tile.column, window.column))
    let endRow = min(tile.row + tile.height, window.row + window.height)
    let endColumn = min(tile.column + tile.width, window.column + window.width)
    guard first.row < endRow, first.column < endColumn else { return }
    for row in first.row..<endRow {
      let cell = (row - tile.row) * tileWidth + first.column - tile.column
      let place = (row - window.row) * window.width + first.column - window.column
      let run = Run(
        from: source + cell * stride, to: target + place * size, count: endColumn - first.column)
      if variable.isScaled { convert(run, variable) } else { copy(run, size) }
      if let mask, let fill = variable.fill {
        apply(mask, cell, run, fill, variable.type)
      }
    }
  }

  private func copy(_ run: Run, _ size: Int) {
    if stride == size {
      run.to.copyMemory(from: run.from, byteCount: run.count * size)
      return
    }
    switch size {
    case 1: gather(UInt8.self, run)
    case 2: gather(UInt16.self, run)
    case 4: gather(UInt32.self, run)
    default: gather(UInt64.self, run)
    }
  }

  private func gather<Value: FixedWidthInteger>(_ type: Value.Type, _ run: Run) {
    let target = run.to.assumingMemoryBound(to: type)
    for index in 0..<run.count {
      target[index] = (run.from + index &* stride).loadUnaligned(as: type)
    }
  }

  private func apply(
    _ mask: Mask, _ cell: Int, _ run: Run, _ fill: ZarrArray.Fill, _ type: PixelType
  ) {
    let size = type.byteCount
    for index in 0..<run.count {
      let start = mask.source + (cell &+ index) &* mask.stride
      var isMasked = true
      for byte in 0..<mask.size where start.load(fromByteOffset: byte, as: UInt8.self) != 0 {
        isMasked = false
      }
      if isMasked { fill.store(as: type, at: run.to + index &* size) }
    }
  }

  // MARK: Scale and offset

  private func convert(_ run: Run, _ variable: StoreVariable) {
    switch variable.sourceType {
    case .uint8: convert(run, variable) { (value: UInt8) in Double(value) }
    case .int8: convert(run, variable) { (value: Int8) in Double(value) }
    case .uint16: convert(run, variable) { (value: UInt16) in Double(value) }
    case .int16: convert(run, variable) { (value: Int16) in Double(value) }
    case .uint32: convert(run, variable) { (value: UInt32) in Double(value) }
    case .int32: convert(run, variable) { (value: Int32) in Double(value) }
    case .uint64: convert(run, variable) { (value: UInt64) in Double(value) }
    case .int64: convert(run, variable) { (value: Int64) in Double(value) }
    case .float32: convert(run, variable) { (value: Float) in Double(value) }
    default: convert(run, variable) { (value: Double) in value }
    }
  }

  private func convert<Value: BitwiseCopyable & Equatable>(
    _ run: Run, _ variable: StoreVariable, _ number: (Value) -> Double
  ) {
    var noData: Value?
    if let fill = variable.noData {
      withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
        guard let base = memory.baseAddress else { return }
        fill.store(as: variable.sourceType, at: base)
        noData = base.load(as: Value.self)
      }
    }
    let isSingle = variable.type == .float32
    for index in 0..<run.count {
      let value = (run.from + index &* stride).loadUnaligned(as: Value.self)
      let result = value == noData ? .nan : number(value) * variable.scale + variable.offset
      if isSingle {
        run.to.storeBytes(of: Float(result), toByteOffset: index &* 4, as: Float.self)
      } else {
        run.to.storeBytes(of: result, toByteOffset: index &* 8, as: Double.self)
      }
    }
  }
}
