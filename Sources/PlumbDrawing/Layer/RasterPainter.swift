import PlumbCore
import PlumbLayers
import PlumbRaster

/// Draws a raster: the value at the centre of each pixel, as a colour.
struct RasterPainter {
  let view: DrawnView
  let cache: TileCache
  let workers: Workers

  /// How values become colours.
  enum Style {
    /// Three bands of 8 bits as they are.
    case trueColor
    /// The colour of a value, by a colour table.
    case table([Color])
    /// Along a ramp, from one value to another.
    case stretch(ColorRamp, low: Double, high: Double)
    /// Along a ramp, with light from the north-west; the values are heights in metres.
    case relief(ColorRamp, low: Double, high: Double)
  }

  /// - Returns: messages about tiles that could not be read.
  /// - Throws: when the raster has no way to the view's reference.
  func draw(_ raster: Raster, on canvas: Canvas) throws -> [String] {
    let isTrueColor = Self.isTrueColor(raster)
    let bands = isTrueColor ? [0, 1, 2] : [0]
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster, bands: bands)], reference: view.reference, cache: cache,
      workers: workers)
    let (width, height) = (view.width, view.height)
    var pixels = [UInt32](repeating: 0, count: width * height)
    // A band of rows at a time, so that a large picture takes little more than itself.
    var values = [Float](repeating: .nan, count: isTrueColor ? 0 : width * height)
    let rows = max(1, (1 << 20) / width)
    for top in stride(from: 0, to: height, by: rows) {
      let count = min(rows, height - top) * width
      var x = [Double](repeating: 0, count: count)
      var y = [Double](repeating: 0, count: count)
      for index in 0..<count {
        let (row, column) = index.quotientAndRemainder(dividingBy: width)
        x[index] = view.extent.xMin + (Double(column) + 0.5) * view.pixelSide
        y[index] = view.extent.yMax - (Double(top + row) + 0.5) * view.pixelSide
      }
      let columns = identifier.sample(x: x, y: y)[0].columns
      let start = top * width
      if isTrueColor {
        for index in 0..<count where columns[0].status[index] == SampleStatus.ok.rawValue {
          func part(_ band: Int) -> UInt8 {
            columns[band].bytes.load(fromByteOffset: index, as: UInt8.self)
          }
          pixels[start + index] = Color(part(0), part(1), part(2)).premultiplied
        }
      } else {
        columns[0].forEachNumber { values[start + $0] = Float($1) }
      }
    }
    if !isTrueColor { color(values, raster.bands[0], into: &pixels) }
    canvas.draw(&pixels, columns: width, x: 0, y: 0, scale: 1)
    return identifier.sampler.takeFailures().messages.map(\.description)
  }

  private static func isTrueColor(_ raster: Raster) -> Bool {
    raster.bands.count >= 3
      && zip(raster.bands, ["Red", "Green", "Blue"]).allSatisfy { band, name in
        band.colorInterpretation == name && band.pixelType == .uint8
      }
  }

  private func color(_ values: [Float], _ band: Band, into pixels: inout [UInt32]) {
    switch style(of: band, values) {
    case .trueColor: break
    case .table(let colors):
      let colors = colors.map(\.premultiplied)
      for (index, value) in values.enumerated() {
        if let entry = Int(exactly: value), colors.indices.contains(entry) {
          pixels[index] = colors[entry]
        }
      }
    case .stretch(let ramp, let low, let high):
      for (index, value) in values.enumerated() where !value.isNaN {
        pixels[index] = ramp.color(share(value, low, high)).premultiplied
      }
    case .relief(let ramp, let low, let high):
      let shade = Hillshade(view)
      for (index, value) in values.enumerated() where !value.isNaN {
        let light = shade.light(values, index)
        pixels[index] = ramp.color(share(value, low, high)).lit(light).premultiplied
      }
    }
  }

  private func share(_ value: Float, _ low: Double, _ high: Double) -> Double {
    high > low ? min(1, max(0, (Double(value) - low) / (high - low))) : 0.5
  }

  private func style(of band: Band, _ values: [Float]) -> Style {
    if !band.colors.isEmpty { return .table(band.colors) }
    var sorted = values.filter { $0.isFinite }
    // A part tells the spread well enough.
    if sorted.count > 1 << 16 {
      let step = sorted.count >> 16
      sorted = stride(from: 0, to: sorted.count, by: step).map { sorted[$0] }
    }
    sorted.sort()
    guard let least = sorted.first, let greatest = sorted.last else {
      return .stretch(.gray, low: 0, high: 1)
    }
    let unit = band.unit.lowercased()
    let isHeight = ["m", "metre", "meter", "metres", "meters"].contains(unit)
    if isHeight {
      return .relief(.elevation, low: Double(least), high: Double(greatest))
    }
    // The middle 96 of 100, so that a few extremes do not flatten the rest.
    let (low, high) = (sorted[sorted.count / 50], sorted[sorted.count - 1 - sorted.count / 50])
    return .stretch(.gray, low: Double(low), high: Double(high))
  }
}

extension ValueColumn {
  /// Calls `body` with each value that is a number, and its index.
  fileprivate func forEachNumber(_ body: (Int, Double) -> Void) {
    let ok = SampleStatus.ok.rawValue
    for index in 0..<count where status[index] == ok {
      if let value = CellValue(pixelType, at: bytes + index * pixelType.byteCount).real {
        body(index, value)
      }
    }
  }
}
