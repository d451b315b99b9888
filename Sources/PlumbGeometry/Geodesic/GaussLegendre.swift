/// The ten-point Gauss–Legendre rule for integrals of smooth functions.
enum GaussLegendre {
  /// The integral of `function` over `width` from `start`; exact for polynomials up to degree 19.
  static func sum(from start: Double, width: Double, _ function: (Double) -> Double) -> Double {
    let middle = start + width / 2
    var sum = 0.0
    for (node, weight) in nodes {
      sum += weight * (function(middle - node * width / 2) + function(middle + node * width / 2))
    }
    return sum * width / 2
  }

  /// The integral of `function` from 0 to 1, computed from three values; exact for polynomials up to degree 5.
  static func shortSum(_ function: (Double) -> Double) -> Double {
    let distance = 0.387_298_334_620_741_69
    return (5 * (function(0.5 - distance) + function(0.5 + distance)) + 8 * function(0.5)) / 18
  }

  /// The positive nodes and their weights.
  private static let nodes: [(node: Double, weight: Double)] = [
    (0.148_874_338_981_631_21, 0.295_524_224_714_752_87),
    (0.433_395_394_129_247_19, 0.269_266_719_309_996_36),
    (0.679_409_568_299_024_41, 0.219_086_362_515_982_04),
    (0.865_063_366_688_984_51, 0.149_451_349_150_580_59),
    (0.973_906_528_517_171_72, 0.066_671_344_308_688_14),
  ]
}
