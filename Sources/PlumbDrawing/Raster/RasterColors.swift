import PlumbCore
import PlumbLayers
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The mapping of a raster's values to colours in one picture, and to legend entries.
enum RasterColors {
  /// Three bands, each stretched between two of its values.
  case bands([ClosedRange<Double>], gamma: Double)
  /// A colour ramp between two values.
  case ramp(ColorRamp, ClosedRange<Double>, gamma: Double)
  /// A colour ramp between two heights, with hillshading.
  case relief(RasterRenderer.ShadedRelief, ClosedRange<Double>)
  /// A colour table with the value as index.
  case table([Color])
  /// A colour for each value.
  case values([RasterRenderer.Value])
  /// A colour for each range of values.
  case classes(minimum: Double, [RasterRenderer.Range])

  /// Returns the number of bands to draw, starting with the first band.
  static func bandCount(of raster: Raster, _ renderer: RasterRenderer?) -> Int {
    guard raster.bands.count >= 3 else { return 1 }
    switch renderer {
    case .stretch: return 3
    case nil:
      let isColored = zip(raster.bands, ["Red", "Green", "Blue"]).allSatisfy {
        $0.colorInterpretation == $1
      }
      return isColored ? 3 : 1
    default: return 1
    }
  }

  /// - Parameters:
  ///   - renderer: the renderer; nil for the colours that the file suggests.
  ///   - bands: the bands that are drawn.
  ///   - numbers: the indexes of these bands in the raster, from 0.
  ///   - values: for each of these bands, the value of each pixel; NaN for none.
  init(_ renderer: RasterRenderer?, bands: [Band], numbers: [Int], values: [[Float]]) {
    switch renderer {
    case .stretch(let stretch):
      if values.count == 3 {
        self = .bands(
          values.indices.map { Self.limits(stretch.limits, values[$0], band: numbers[$0]) },
          gamma: stretch.gamma)
      } else {
        self = .ramp(
          stretch.ramp, Self.limits(stretch.limits, values[0], band: numbers[0]),
          gamma: stretch.gamma)
      }
    case .values(let list): self = .values(list)
    case .classes(let minimum, let ranges): self = .classes(minimum: minimum, ranges)
    case .shadedRelief(let relief):
      self = .relief(relief, Self.limits(.percent(below: 0, above: 0), values[0], band: 0))
    case nil:
      self = Self.suggested(by: bands, values)
    }
  }

  private static func suggested(by bands: [Band], _ values: [[Float]]) -> RasterColors {
    if values.count == 3 {
      if bands.allSatisfy({ $0.pixelType == .uint8 }) {
        return .bands([0...255, 0...255, 0...255], gamma: 1)
      }
      return .bands(
        values.map { limits(.percent(below: 2, above: 2), $0, band: 0) }, gamma: 1)
    }
    guard let band = bands.first else { return .table([]) }
    if !band.colors.isEmpty { return .table(band.colors) }
    if ["m", "metre", "meter", "metres", "meters"].contains(band.unit.lowercased()) {
      return .relief(
        RasterRenderer.ShadedRelief(), limits(.percent(below: 0, above: 0), values[0], band: 0))
    }
    // Clip extremes, so that the other values have more contrast.
    return .ramp(.gray, limits(.percent(below: 2, above: 2), values[0], band: 0), gamma: 1)
  }

  private static func limits(
    _ limits: RasterRenderer.Stretch.Limits, _ values: [Float], band: Int
  ) -> ClosedRange<Double> {
    switch limits {
    case .values(let pairs):
      return pairs.isEmpty ? 0...255 : pairs[min(band, pairs.count - 1)]
    case .deviations(let count):
      var (number, sum, squares) = (0.0, 0.0, 0.0)
      for value in values where value.isFinite {
        number += 1
        sum += Double(value)
        squares += Double(value) * Double(value)
      }
      guard number > 0 else { return 0...1 }
      let mean = sum / number
      let deviation = count * max(0, squares / number - mean * mean).squareRoot()
      return (mean - deviation)...(mean + deviation)
    case .percent(let below, let above):
      var lowest = Float.infinity
      var greatest = -Float.infinity
      // Percentiles are computed from a sample, the minimum and maximum from all values.
      var sorted: [Float] = []
      let step = below == 0 && above == 0 ? values.count : max(1, values.count >> 16)
      for (index, value) in values.enumerated() where value.isFinite {
        lowest = min(lowest, value)
        greatest = max(greatest, value)
        if step < values.count, index % step == 0 { sorted.append(value) }
      }
      guard lowest <= greatest else { return 0...1 }
      sorted.sort()
      func value(_ percent: Double) -> Float? {
        sorted.isEmpty ? nil : sorted[Int(percent / 100 * Double(sorted.count - 1))]
      }
      let low = below == 0 ? lowest : value(below) ?? lowest
      let high = above == 0 ? greatest : value(100 - above) ?? greatest
      return Double(low)...Double(max(low, high))
    }
  }

  // MARK: Colours

  private static func share(
    _ value: Float, _ limits: ClosedRange<Double>, _ gamma: Double
  ) -> Double {
    let span = limits.upperBound - limits.lowerBound
    guard span > 0 else { return 0.5 }
    let share = min(1, max(0, (Double(value) - limits.lowerBound) / span))
    return gamma == 1 ? share : pow(share, 1 / gamma)
  }

  /// Colours the pixels that have a value, on all workers.
  ///
  /// - Parameters:
  ///   - values: the values for which the colours were created.
  ///   - scale: metres per unit of the heights.
  ///   - cell: the cell size in metres; 0 if the cells are not on an affine or rectilinear grid.
  ///   - width: the number of pixels in a row.
  ///   - start: the index in `values` of the first of `pixels`, which may be a part of the picture.
  func apply(
    _ values: [[Float]], scale: Double, cell: Double, _ view: DrawnView, width: Int,
    from start: Int, to pixels: inout [UInt32], _ workers: Workers
  ) {
    let first = values[0]
    let painted: @Sendable (Range<Int>, UnsafeMutablePointer<UInt32>) -> Void
    switch self {
    case .bands(let limits, let gamma):
      painted = { range, pixels in
        for index in range {
          guard !(values[0][index] + values[1][index] + values[2][index]).isNaN else { continue }
          func part(_ band: Int) -> UInt8 {
            UInt8((Self.share(values[band][index], limits[band], gamma) * 255).rounded())
          }
          pixels[index] = Color(part(0), part(1), part(2)).premultiplied
        }
      }
    case .ramp(let ramp, let limits, let gamma):
      let colors = ramp.steps.map(\.premultiplied)
      painted = { range, pixels in
        for index in range where !first[index].isNaN {
          pixels[index] = colors[Int(Self.share(first[index], limits, gamma) * 1023)]
        }
      }
    case .relief(let relief, let limits):
      let colors = relief.ramp.steps
      let shade = Hillshade(view, relief, cell: cell, scale: scale, first, width: width)
      painted = { range, pixels in
        for index in range where !first[index].isNaN {
          let color = colors[Int(Self.share(first[index], limits, 1) * 1023)]
          pixels[index] = color.lit(shade.light(index)).premultiplied
        }
      }
    case .table(let table):
      let colors = table.map(\.premultiplied)
      painted = { range, pixels in
        for index in range {
          if let entry = Int(exactly: first[index]), colors.indices.contains(entry) {
            pixels[index] = colors[entry]
          }
        }
      }
    case .values(let list):
      let colors = Dictionary(
        list.map { (Float($0.value), $0.color.premultiplied) }, uniquingKeysWith: { a, _ in a })
      painted = { range, pixels in
        var last = (value: Float.nan, color: UInt32(0))
        for index in range where !first[index].isNaN {
          if first[index] != last.value { last = (first[index], colors[first[index]] ?? 0) }
          pixels[index] = last.color
        }
      }
    case .classes(let minimum, let ranges):
      let colors = ranges.map(\.color.premultiplied)
      painted = { range, pixels in
        for index in range where Double(first[index]) >= minimum {
          let value = Double(first[index])
          if let found = ranges.firstIndex(where: { value <= $0.maximum }) {
            pixels[index] = colors[found]
          }
        }
      }
    }
    pixels.withUnsafeMutableBufferPointer { pixels in
      guard let base = pixels.baseAddress else { return }
      // Each worker's range covers different pixels. A pixel has the same index as its value.
      let target = SharedPointer(base - start)
      workers.runRanges(pixels.count, grain: Self.grain) { _, range in
        painted(range.lowerBound + start..<range.upperBound + start, target.pointer)
      }
    }
  }

  /// The number of pixels in a worker's chunk.
  private static let grain = 1 << 16

  // MARK: Legend

  /// Legend entries for the values in the picture, with the band's scale and offset applied.
  func legend(of band: Band, _ values: [Float]) -> [LegendEntry] {
    func text(_ value: Double) -> String {
      let meant = value * band.scale + band.offset
      return FieldValue.real((meant * 1e6).rounded() / 1e6).plainText
    }
    let unit = band.unit.isEmpty ? "" : " " + band.unit
    switch self {
    case .bands: return []
    case .ramp(let ramp, let limits, _):
      return [
        LegendEntry(
          "\(text(limits.lowerBound)) to \(text(limits.upperBound))\(unit)", .ramp(ramp))
      ]
    case .relief(let relief, let limits):
      return [
        LegendEntry(
          "\(text(limits.lowerBound)) to \(text(limits.upperBound))\(unit)", .ramp(relief.ramp))
      ]
    case .table(let table):
      return Self.distinct(values).compactMap { Int(exactly: $0) }.sorted()
        .filter { table.indices.contains($0) && table[$0].alpha > 0 }
        .map { value in
          LegendEntry(band.classes?.name(of: Double(value)) ?? "\(value)", .color(table[value]))
        }
    case .values(let list):
      let present = Self.distinct(values)
      return list.filter { present.contains(Float($0.value)) }
        .map { LegendEntry($0.label, .color($0.color)) }
    case .classes(_, let ranges):
      return ranges.map { LegendEntry($0.label, .color($0.color)) }
    }
  }

  private static func distinct(_ values: [Float]) -> Set<Float> {
    var found: Set<Float> = []
    var last = Float.nan
    for value in values where value != last && !value.isNaN {
      last = value
      found.insert(value)
    }
    return found
  }
}

extension Raster {
  /// The cell size in metres; 0 if the cells are not on an affine or rectilinear grid.
  var cellSide: Double {
    guard let profile = members.first?.profile, let grid = profile.mapping.placement else {
      return 0
    }
    let (a, b) = (grid.coordinates(column: 0, row: 0), grid.coordinates(column: 1, row: 0))
    let reference = profile.reference.flatMap { try? SpatialReference($0) }
    let (x, y) = (b.x - a.x, b.y - a.y)
    return (x * x + y * y).squareRoot() * (reference?.metresPerUnit ?? 1)
  }
}

extension ColorRamp {
  /// 1,024 colours from 0 to 1.
  fileprivate var steps: [Color] { (0..<1024).map { color(Double($0) / 1023) } }
}

extension Color {
  /// The colour in Cairo's pixel format.
  var premultiplied: UInt32 {
    func part(_ value: UInt8) -> UInt32 { (UInt32(value) * UInt32(alpha) + 127) / 255 }
    return UInt32(alpha) << 24 | part(red) << 16 | part(green) << 8 | part(blue)
  }

  /// The colour multiplied by a brightness of 0 or more; the result is darker below 1.
  fileprivate func lit(_ light: Double) -> Color {
    func part(_ value: UInt8) -> UInt8 { UInt8(min(255, Double(value) * light)) }
    return Color(part(red), part(green), part(blue), alpha: alpha)
  }
}
