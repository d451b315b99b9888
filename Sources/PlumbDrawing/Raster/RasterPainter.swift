import PlumbCore
import PlumbGeometry
import PlumbLayers
import PlumbRaster

/// Draws a raster. Each pixel has the colour of the value at the pixel's centre.
struct RasterPainter {
  let view: DrawnView
  let cache: TileCache
  let workers: Workers
  /// The indexes of the one or three bands to draw; nil for the bands of the renderer.
  var bands: [Int]?
  var resampling = Resampling.nearest

  /// - Returns: messages about tiles that could not be read, and legend entries; nil entries if no pixel
  ///   of the picture has a value.
  /// - Throws: if there is no transformation from the raster's CRS to the view's CRS.
  func draw(
    _ raster: Raster, _ renderer: RasterRenderer?, on canvas: Canvas
  ) throws -> (warnings: [String], legend: [LegendEntry]?) {
    guard let shown = try seen(of: raster) else { return ([], nil) }
    let window = shown.window
    let picked = bands ?? Array(0..<RasterColors.bandCount(of: raster, renderer))
    let (values, failures) = try values(of: shown, bands: picked)
    let warnings = failures.messages.map(\.description)
    guard values[0].contains(where: { !$0.isNaN }) else { return (warnings, nil) }
    let drawn = picked.map { raster.bands[$0] }
    let colors = RasterColors(renderer, bands: drawn, numbers: picked, values: values)
    // A PNG picture is drawn in parts, which take less memory. In vector formats, the edges of the
    // parts would be visible.
    let partRows =
      canvas.isVector ? window.rows.count : max(1, Self.partPixels / window.columns.count)
    for top in stride(from: window.rows.lowerBound, to: window.rows.upperBound, by: partRows) {
      let rows = min(partRows, window.rows.upperBound - top)
      var pixels = [UInt32](repeating: 0, count: rows * window.columns.count)
      colors.apply(
        values, scale: drawn[0].scale, cell: shown.raster.cellSide, view,
        width: window.columns.count,
        from: (top - window.rows.lowerBound) * window.columns.count, to: &pixels, workers)
      canvas.draw(
        &pixels, columns: window.columns.count, x: Double(window.columns.lowerBound),
        y: Double(top), scale: 1)
    }
    return (warnings, colors.legend(of: drawn[0], values[0]))
  }

  /// The values of the bands at the window's pixels, row by row; NaN for pixels without a value.
  ///
  /// Each worker has a sampler and consecutive rows, so that workers do not wait for each other.
  private func values(
    of shown: Seen, bands: [Int]
  ) throws -> (values: [[Float]], failures: ReadFailures) {
    let window = shown.window
    var values = Array(
      repeating: [Float](repeating: .nan, count: window.count), count: bands.count)
    let shares = min(workers.count, max(1, window.count / Self.sampledPixels))
    let found = try Self.withPointers(to: &values) { targets in
      try workers.map(shares) { _, share throws -> ReadFailures in
        let rows =
          window.rows.lowerBound + window.rows.count * share / shares..<window.rows.lowerBound
          + window.rows.count * (share + 1) / shares
        let offset = (rows.lowerBound - window.rows.lowerBound) * window.columns.count
        return try sample(
          shown, bands: bands,
          PixelWindow(columns: window.columns, rows: rows),
          to: targets.map { SharedPointer($0.pointer + offset) })
      }
    }
    var failures = ReadFailures()
    for list in found { failures.add(list) }
    return (values, failures)
  }

  /// Samples the bands at a window's pixels and stores the values, row by row.
  private func sample(
    _ shown: Seen, bands: [Int], _ window: PixelWindow,
    to targets: [SharedPointer<UnsafeMutablePointer<Float>>]
  ) throws -> ReadFailures {
    let sampler = try RasterSampler(
      [RasterSampler.Request(shown.raster, bands: bands)], resampling: resampling, cache: cache,
      workers: Workers(count: 1))
    let projectors = try shown.lattices.map { try $0.projector() }
    // Read a few rows at a time, so that the following rows use the same cached tiles.
    let rows = max(1, Self.sampledPixels / window.columns.count)
    for top in stride(from: window.rows.lowerBound, to: window.rows.upperBound, by: rows) {
      try WorkCancellation.checkCurrent()
      let part = PixelWindow(
        columns: window.columns, rows: top..<min(window.rows.upperBound, top + rows))
      let coordinates = zip(projectors, shown.wests).map { $0.coordinates(of: part, west: $1) }
      let columns = withExtendedLifetime(coordinates) {
        sampler.sample(coordinates.map { $0.coordinates })[0].columns
      }
      let first = (top - window.rows.lowerBound) * window.columns.count
      for (target, column) in zip(targets, columns) {
        column.copyNumbers(to: target.pointer + first)
      }
    }
    return sampler.drainFailures()
  }

  /// Calls `body` with the addresses of the elements of arrays that are not empty.
  private static func withPointers<Value>(
    to arrays: inout [[Float]],
    _ body: ([SharedPointer<UnsafeMutablePointer<Float>>]) throws -> Value
  ) rethrows -> Value {
    guard var last = arrays.popLast() else { return try body([]) }
    defer { arrays.append(last) }
    return try last.withUnsafeMutableBufferPointer { elements in
      try withPointers(to: &arrays) { try body($0 + [SharedPointer(elements.baseAddress!)]) }
    }
  }

  /// The number of pixels that are sampled at a time.
  private static let sampledPixels = 1 << 16
  /// The number of pixels that are coloured and drawn at a time.
  private static let partPixels = 1 << 20

  /// The part of a raster that is in the picture.
  private struct Seen {
    /// The raster, or an overview with cells about as large as the pixels. The properties of the
    /// bands are taken from the raster itself.
    var raster: Raster
    /// The pixels that may show the raster.
    var window: PixelWindow
    /// The coordinates of the pixels in each CRS of the raster.
    var lattices: [PixelLattice]
    /// The least x of the raster's files in each CRS; nil if one of the files is not on an affine or
    /// rectilinear grid.
    var wests: [Double?]
  }

  /// - Returns: nil if the raster is outside the picture.
  private func seen(of raster: Raster) throws -> Seen? {
    let lattices = try self.lattices(of: raster)
    guard let window = window(of: raster, lattices) else { return nil }
    var factor = Double.infinity
    for (reference, lattice) in zip(raster.references, lattices) {
      let step = lattice.step(in: window) ?? 0
      for member in raster.members where member.profile.reference == reference {
        guard case .affine(let grid) = member.profile.mapping else {
          factor = 0
          break
        }
        factor = min(factor, step / grid.cellSide)
      }
    }
    let smaller = raster.overview(atMost: factor)
    if smaller === raster {
      return Seen(raster: raster, window: window, lattices: lattices, wests: wests(of: raster))
    }
    // Overviews usually have the same CRSs as the raster.
    let isAlike = smaller.references == raster.references
    return Seen(
      raster: smaller, window: window,
      lattices: isAlike ? lattices : try self.lattices(of: smaller), wests: wests(of: smaller))
  }

  private func lattices(of raster: Raster) throws -> [PixelLattice] {
    try raster.references.map { text in
      try PixelLattice(view, in: text.map { try SpatialReference($0) })
    }
  }

  private func wests(of raster: Raster) -> [Double?] {
    raster.references.map { reference in
      var west = Double.infinity
      for member in raster.members where member.profile.reference == reference {
        guard let extent = member.profile.extent else { return nil }
        west = min(west, extent.xMin)
      }
      return west
    }
  }

  private func window(of raster: Raster, _ lattices: [PixelLattice]) -> PixelWindow? {
    var extents: [String?: Envelope] = [:]
    for member in raster.members {
      guard let extent = member.profile.extent else {
        return PixelWindow(columns: 0..<view.width, rows: 0..<view.height)
      }
      extents[member.profile.reference] =
        extents[member.profile.reference]?.joined(extent) ?? extent
    }
    let windows = zip(raster.references, lattices).compactMap { reference, lattice in
      extents[reference].flatMap { lattice.pixels(in: $0) }
    }
    return windows.dropFirst().reduce(windows.first) { $0?.joined($1) }
  }
}

extension GridTransform {
  /// The longer side of a cell.
  var cellSide: Double {
    max(
      (columnX * columnX + columnY * columnY).squareRoot(),
      (rowX * rowX + rowY * rowY).squareRoot())
  }
}
