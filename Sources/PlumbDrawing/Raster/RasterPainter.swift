import PlumbCore
import PlumbLayers
import PlumbRaster

/// Draws a raster: the value at the centre of each pixel, as a colour.
struct RasterPainter {
  let view: DrawnView
  let cache: TileCache
  let workers: Workers

  /// - Returns: messages about tiles that could not be read, and a legend's entries; none of these
  ///   where the picture has none of the raster.
  /// - Throws: when the raster has no way to the view's reference.
  func draw(
    _ raster: Raster, _ renderer: RasterRenderer?, on canvas: Canvas
  ) throws -> (warnings: [String], legend: [LegendEntry]?) {
    let count = RasterColors.bandCount(of: raster, renderer)
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster, bands: Array(0..<count))], reference: view.reference,
      cache: cache, workers: workers)
    var values = Array(
      repeating: [Float](repeating: .nan, count: view.width * view.height), count: count)
    // Some rows at a time, so that a large picture takes little more than itself.
    let rows = max(1, (1 << 20) / view.width)
    for top in stride(from: 0, to: view.height, by: rows) {
      let (x, y) = centers(ofRows: top..<min(view.height, top + rows))
      let columns = identifier.sample(x: x, y: y)[0].columns
      for band in 0..<count {
        columns[band].forEachNumber { values[band][top * view.width + $0] = Float($1) }
      }
    }
    let warnings = identifier.sampler.takeFailures().messages.map(\.description)
    guard values[0].contains(where: { !$0.isNaN }) else { return (warnings, nil) }
    let colors = RasterColors(renderer, bands: raster.bands[..<count], values: values)
    var pixels = [UInt32](repeating: 0, count: view.width * view.height)
    colors.apply(values, of: raster, view, to: &pixels)
    canvas.draw(&pixels, columns: view.width, x: 0, y: 0, scale: 1)
    return (warnings, colors.legend(of: raster.bands[0], values[0]))
  }

  private func centers(ofRows rows: Range<Int>) -> (x: [Double], y: [Double]) {
    let across = (0..<view.width).map {
      view.extent.xMin + (Double($0) + 0.5) * view.pixelSide
    }
    var (x, y): ([Double], [Double]) = ([], [])
    x.reserveCapacity(rows.count * view.width)
    y.reserveCapacity(rows.count * view.width)
    for row in rows {
      x += across
      y += repeatElement(
        view.extent.yMax - (Double(row) + 0.5) * view.pixelSide, count: view.width)
    }
    return (x, y)
  }
}

extension ValueColumn {
  /// Calls `body` with the index and the number of each value that is one.
  fileprivate func forEachNumber(_ body: (Int, Double) -> Void) {
    let ok = SampleStatus.ok.rawValue
    for index in 0..<count where status[index] == ok {
      if let value = CellValue(pixelType, at: bytes + index * pixelType.byteCount).real {
        body(index, value)
      }
    }
  }
}
