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
    let (window, lattices) = (shown.window, shown.lattices)
    let picked = bands ?? Array(0..<RasterColors.bandCount(of: raster, renderer))
    let count = picked.count
    let sampler = try RasterSampler(
      [RasterSampler.Request(shown.raster, bands: picked)], resampling: resampling, cache: cache,
      workers: workers)
    var values = Array(
      repeating: [Float](repeating: .nan, count: window.count), count: count)
    // Read a few rows at a time, so that the following rows use the same cached tiles.
    let rows = max(1, (1 << 16) / window.columns.count)
    for top in stride(from: window.rows.lowerBound, to: window.rows.upperBound, by: rows) {
      try WorkCancellation.checkCurrent()
      let part = PixelWindow(
        columns: window.columns, rows: top..<min(window.rows.upperBound, top + rows))
      let coordinates = zip(lattices, shown.wests).map { $0.coordinates(of: part, west: $1) }
      let columns = withExtendedLifetime(coordinates) {
        sampler.sample(coordinates.map { $0.coordinates })[0].columns
      }
      for band in 0..<count {
        let first = (top - window.rows.lowerBound) * window.columns.count
        values[band].withUnsafeMutableBufferPointer {
          columns[band].copyNumbers(to: $0.baseAddress! + first)
        }
      }
    }
    let warnings = sampler.drainFailures().messages.map(\.description)
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
