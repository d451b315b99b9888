/// A vegetation index over a large grid, row by row: hills, parcels of farmland, water, and clouds
/// without a value.
struct LandscapeRows {
  private let land: RowNoise
  private let farms: RowNoise
  private let clouds: RowNoise
  private let seed: UInt64

  init(seed: UInt64) {
    self.seed = scramble(seed &+ 0xB16)
    land = RowNoise(
      seed: self.seed &+ 1, periods: [1531, 769, 383, 191, 97, 47, 23, 11, 5], roughness: 0.74)
    farms = RowNoise(seed: self.seed &+ 2, periods: [907, 409, 211, 103, 31], roughness: 0.6)
    clouds = RowNoise(
      seed: self.seed &+ 3, periods: [1201, 557, 311, 163, 83, 41, 19], roughness: 0.64)
  }

  /// Fills a row from column 0: -0.2 to 1, or NaN for no value.
  func fill(_ cells: UnsafeMutableBufferPointer<Float>, row: Int) {
    let width = cells.count
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * width) { scratch in
      let farm = UnsafeMutableBufferPointer(rebasing: scratch[0..<width])
      let cloud = UnsafeMutableBufferPointer(rebasing: scratch[width..<2 * width])
      cells.initialize(repeating: 0)
      scratch.initialize(repeating: 0)
      land.add(to: cells, row: row)
      farms.add(to: farm, row: row)
      clouds.add(to: cloud, row: row)
      combine(cells, farm: farm, cloud: cloud, row: row)
    }
  }

  private func combine(
    _ cells: UnsafeMutableBufferPointer<Float>, farm: UnsafeMutableBufferPointer<Float>,
    cloud: UnsafeMutableBufferPointer<Float>, row: Int
  ) {
    var (lastParcel, shade) = ((-1, -1), Float(0))
    for column in 0..<cells.count {
      if cloud[column] > 0.40 {
        cells[column] = .nan
        continue
      }
      let hill = cells[column]
      if hill < -0.52 {
        cells[column] = -0.1 + 0.04 * hill
        continue
      }
      // Parcels are oblique to the grid.
      let across = column + row * 2 / 5
      let strip = (row + 1_000_000 - column / 3) / 37
      let parcel = ((across + strip * 29) / (26 + strip * 7 % 31), strip)
      if parcel != lastParcel {
        lastParcel = parcel
        shade = Float(unitInterval(latticeHash(parcel.0, parcel.1, seed: seed))) - 0.5
      }
      let farmed = min(1, max(0, (farm[column] + 0.02) * 9))
      let wild = 0.42 + 0.55 * hill
      let field = 0.40 + 0.14 * hill + 0.52 * shade
      cells[column] = min(0.97, max(-0.19, wild + (field - wild) * farmed))
    }
  }
}

/// Value noise in octaves over whole columns and rows, one row at a time: the lattice is
/// interpolated vertically once per row, so a cell costs one multiplication and addition per
/// octave.
struct RowNoise {
  fileprivate struct Octave {
    var period: Int
    var height: Float
    var seed: UInt64
    /// The shift of the lattice per row, in sixteenths of a column, so that its lines are not visible.
    var shear: Int
    /// The fade at each step of a period.
    var steps: [Float]
  }

  private let octaves: [Octave]

  /// - Parameters:
  ///   - periods: the wavelengths of the octaves in cells, longest first.
  ///   - roughness: the ratio of each octave's amplitude to that of the preceding one.
  init(seed: UInt64, periods: [Int], roughness: Float) {
    let total = periods.indices.reduce(Float(0)) { sum, index in
      sum + Self.power(roughness, index)
    }
    octaves = periods.enumerated().map { index, period in
      Octave(
        period: period, height: 1.5 * Self.power(roughness, index) / total,
        seed: scramble(seed &+ UInt64(index)), shear: [11, -9, 17, -15, 7][index % 5],
        steps: (0..<period).map { Float(fade(Double($0) / Double(period))) })
    }
  }

  /// Adds the noise, mostly within 0.8 of 0, to a row from column 0.
  func add(to cells: UnsafeMutableBufferPointer<Float>, row: Int) {
    for octave in octaves {
      let period = octave.period
      let (strip, step) = row.quotientAndRemainder(dividingBy: period)
      let down = octave.steps[step]
      octave.steps.withUnsafeBufferPointer { steps in
        var (column, phase) = (row * octave.shear >> 4).flooredQuotientAndRemainder(period)
        var left = octave.blend(column, strip, down)
        var start = 0
        while start < cells.count {
          let right = octave.blend(column + 1, strip, down)
          let count = min(period - phase, cells.count - start)
          let rise = right - left
          for index in 0..<count { cells[start + index] += left + rise * steps[phase + index] }
          left = right
          start += count
          phase = 0
          column += 1
        }
      }
    }
  }

  private static func power(_ base: Float, _ exponent: Int) -> Float {
    (0..<exponent).reduce(1) { result, _ in result * base }
  }
}

extension RowNoise.Octave {
  /// The lattice's value at a column, between two of its rows.
  fileprivate func blend(_ column: Int, _ row: Int, _ down: Float) -> Float {
    let above = value(column, row)
    return height * (above + (value(column, row + 1) - above) * down)
  }

  private func value(_ column: Int, _ row: Int) -> Float {
    Float(2 * unitInterval(latticeHash(column, row, seed: seed)) - 1)
  }
}

extension Int {
  /// Division towards minus infinity, with a remainder of 0 or more.
  fileprivate func flooredQuotientAndRemainder(_ divisor: Int) -> (Int, Int) {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }
}
