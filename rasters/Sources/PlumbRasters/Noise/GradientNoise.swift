/// Perlin's gradient noise over the plane, and sums of its octaves.
struct GradientNoise {
  let seed: UInt64
  /// The first octave's wavelength, in the unit of x and y.
  let wavelength: Double
  /// The number of octaves, each with half the wavelength and half the amplitude of the preceding one.
  let octaves: Int

  /// About -1 to 1, mostly within 0.6 of 0.
  func callAsFunction(_ x: Double, _ y: Double) -> Double {
    var frequency = 1 / wavelength
    var height = 1.0
    var sum = 0.0
    var total = 0.0
    for octave in 0..<octaves {
      sum += height * single(x * frequency, y * frequency, octave)
      total += height
      frequency *= 2.03
      height *= 0.5
    }
    return 2.6 * sum / total
  }

  /// 0 to 1, with sharp crests at 1, as eroded mountains have (Musgrave's ridged sum).
  func ridged(_ x: Double, _ y: Double) -> Double {
    var frequency = 1 / wavelength
    var height = 1.0
    var sum = 0.0
    var total = 0.0
    var carried = 1.0
    for octave in 0..<octaves {
      let crest = 1 - min(1, abs(2.6 * single(x * frequency, y * frequency, octave)))
      sum += height * crest * crest * carried
      total += height
      carried = min(1, crest * crest * 1.6)
      frequency *= 2.03
      height *= 0.5
    }
    return sum / total
  }

  private func single(_ x: Double, _ y: Double, _ octave: Int) -> Double {
    let column = x.rounded(.down)
    let row = y.rounded(.down)
    let (i, j) = (Int(column), Int(row))
    let (u, v) = (x - column, y - row)
    let salt = seed &+ UInt64(octave) &* 0xD6E8_FEB8_6659_FD93
    let top = mix(
      slope(i, j, salt, u, v), slope(i + 1, j, salt, u - 1, v), fade(u))
    let bottom = mix(
      slope(i, j + 1, salt, u, v - 1), slope(i + 1, j + 1, salt, u - 1, v - 1), fade(u))
    return mix(top, bottom, fade(v))
  }

  /// The dot product of the gradient at the lattice point, which is one of a disc of vectors, and
  /// the vector from the lattice point.
  @inline(__always)
  private func slope(_ i: Int, _ j: Int, _ salt: UInt64, _ x: Double, _ y: Double) -> Double {
    let bits = latticeHash(i, j, seed: salt)
    let a = Double(Int32(truncatingIfNeeded: bits)) * 0x1p-31
    let b = Double(Int32(truncatingIfNeeded: bits >> 32)) * 0x1p-31
    return 1.3 * (a * x + b * y)
  }
}

/// Parcels of land: Voronoi cells around jittered lattice points, each with a number.
struct Parcels {
  let seed: UInt64
  /// The mean distance between parcels, in the unit of x and y.
  let spacing: Double

  /// The parcel's number, evenly distributed over `0..<1`.
  func callAsFunction(_ x: Double, _ y: Double) -> Double {
    let (u, v) = (x / spacing, y / spacing)
    let (column, row) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
    var nearest = Double.infinity
    var answer: UInt64 = 0
    for j in row - 1...row + 1 {
      for i in column - 1...column + 1 {
        let bits = latticeHash(i, j, seed: seed)
        let dx = Double(i) + unitInterval(bits) - u
        let dy = Double(j) + unitInterval(scramble(bits)) - v
        let distance = dx * dx + dy * dy
        if distance < nearest { (nearest, answer) = (distance, bits) }
      }
    }
    return unitInterval(scramble(answer &+ 1))
  }
}
