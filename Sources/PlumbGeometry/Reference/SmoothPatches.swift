import PlumbCore

/// Approximates a transformation by polynomials over small squares (patches) of its source
/// coordinates, each with a bound of its difference from PROJ.
///
/// PROJ takes about 0.1 µs per point; a polynomial of degree 5 in both coordinates takes a fraction
/// of this time. Over a degree, or 100 km, the usual projections are so smooth that the polynomial
/// agrees with PROJ to 1e-8 m. The bound is ten times the largest difference that is measured at 64
/// evenly spaced points, plus 64 ulps of the largest result for rounding errors.
public struct SmoothPatches: Sendable {
  static let degree = 5
  private static let nodeCount = degree + 1
  private static let checkCount = 8
  /// The least number of points that a patch must contain. With fewer points, the patch would save
  /// no time, because fitting it transforms 100 points with PROJ.
  static let fewest = 2000

  private struct Patch: Sendable {
    /// The coefficients for x and y. The coefficient of u^i v^j is at index `i * 6 + j`.
    var coefficients: [SIMD2<Double>]
    var bound: Double
  }

  private let originX: Double
  private let originY: Double
  private let size: Double
  private let across: Int
  private let down: Int
  private let patches: [Patch?]

  /// Fits patches where there are many points; nil if no patch would save time.
  ///
  /// - Parameters:
  ///   - x: the x coordinate of each point, in source units.
  ///   - y: the y coordinate of each point, in source units.
  ///   - count: the number of points.
  ///   - size: a patch's side in source units.
  ///   - largestBound: the largest error bound in target units; a patch with a larger bound is not
  ///     used.
  ///   - transformation: the transformation that the patches replace.
  public init?(
    x: UnsafePointer<Double>, y: UnsafePointer<Double>, count: Int, size: Double,
    largestBound: Double, transformation: Transformation
  ) {
    guard count >= Self.fewest * 4, transformation.isSmooth else { return nil }
    // Every 16th point is enough to find the extent.
    var (minX, maxX) = (Double.infinity, -Double.infinity)
    var (minY, maxY) = (Double.infinity, -Double.infinity)
    for i in stride(from: 0, to: count, by: 16) where x[i].isFinite && y[i].isFinite {
      (minX, maxX) = (min(minX, x[i]), max(maxX, x[i]))
      (minY, maxY) = (min(minY, y[i]), max(maxY, y[i]))
    }
    guard minX <= maxX, (maxX - minX) / size < 400, (maxY - minY) / size < 400 else { return nil }
    self.size = size
    originX = (minX / size).rounded(.down) * size
    originY = (minY / size).rounded(.down) * size
    across = Int((maxX - originX) / size) + 1
    down = Int((maxY - originY) / size) + 1
    var counts = [Int](repeating: 0, count: across * down)
    for i in stride(from: 0, to: count, by: 16) where x[i].isFinite && y[i].isFinite {
      let column = Int((x[i] - originX) / size)
      let row = Int((y[i] - originY) / size)
      counts[min(row, down - 1) * across + min(column, across - 1)] += 16
    }
    var patches = [Patch?](repeating: nil, count: across * down)
    for index in counts.indices where counts[index] >= Self.fewest {
      let (row, column) = index.quotientAndRemainder(dividingBy: across)
      patches[index] = Self.fit(
        centerX: originX + (Double(column) + 0.5) * size,
        centerY: originY + (Double(row) + 0.5) * size, half: size / 2,
        largestBound: largestBound, transformation)
    }
    guard patches.contains(where: { $0 != nil }) else { return nil }
    self.patches = patches
  }

  /// The point in the target's coordinates and its error bound; nil if no patch contains the point,
  /// so that PROJ has to be called.
  @inline(__always)
  public func apply(_ x: Double, _ y: Double) -> (point: SIMD2<Double>, bound: Double)? {
    let (column, row) = ((x - originX) / size, (y - originY) / size)
    guard column >= 0, row >= 0, column < Double(across), row < Double(down) else { return nil }
    let (left, top) = (Int(column), Int(row))
    guard let patch = patches[top * across + left] else { return nil }
    let u = (column - Double(left)) * 2 - 1
    let v = (row - Double(top)) * 2 - 1
    return (Self.evaluate(patch.coefficients, u, v), patch.bound)
  }

  @inline(__always)
  private static func evaluate(
    _ coefficients: [SIMD2<Double>], _ u: Double, _ v: Double
  ) -> SIMD2<Double> {
    coefficients.withUnsafeBufferPointer { c in
      var sum = SIMD2<Double>(0, 0)
      var i = degree
      while i >= 0 {
        var line = c[i * nodeCount + degree]
        var j = degree - 1
        while j >= 0 {
          line = line * v + c[i * nodeCount + j]
          j -= 1
        }
        sum = sum * u + line
        i -= 1
      }
      return sum
    }
  }

  /// Interpolates PROJ's results at Chebyshev nodes, and measures the error between the nodes.
  private static func fit(
    centerX: Double, centerY: Double, half: Double, largestBound: Double,
    _ transformation: Transformation
  ) -> Patch? {
    let nodes = (0..<nodeCount).map { chebyshevNode($0, of: nodeCount) }
    guard
      let values = sample(transformation, nodes, centerX: centerX, centerY: centerY, half: half)
    else { return nil }
    // Sum over the nodes: PROJ's result times the Lagrange polynomials in u and v of the node.
    let basis = nodes.indices.map { powersOfLagrange(nodes, $0) }
    var coefficients = [SIMD2<Double>](repeating: .zero, count: nodeCount * nodeCount)
    for a in nodes.indices {
      for b in nodes.indices {
        let value = values[a * nodeCount + b]
        for i in nodes.indices {
          for j in nodes.indices {
            coefficients[i * nodeCount + j] += value * (basis[a][i] * basis[b][j])
          }
        }
      }
    }
    let checks = (0..<checkCount).map { -1 + 2 * Double($0) / Double(checkCount - 1) }
    guard
      let truth = sample(transformation, checks, centerX: centerX, centerY: centerY, half: half)
    else { return nil }
    var worst = 0.0
    for a in checks.indices {
      for b in checks.indices {
        let difference = evaluate(coefficients, checks[a], checks[b]) - truth[a * checkCount + b]
        worst = max(worst, max(difference.x.magnitude, difference.y.magnitude))
      }
    }
    let magnitude = truth.reduce(0) { max($0, max($1.x.magnitude, $1.y.magnitude)) }
    let bound = 10 * worst + 64 * magnitude.ulp
    return bound <= largestBound ? Patch(coefficients: coefficients, bound: bound) : nil
  }

  /// PROJ's results on a grid of points, by u and then v; nil unless all are finite.
  private static func sample(
    _ transformation: Transformation, _ steps: [Double], centerX: Double, centerY: Double,
    half: Double
  ) -> [SIMD2<Double>]? {
    var x: [Double] = []
    var y: [Double] = []
    for u in steps {
      for v in steps {
        x.append(centerX + u * half)
        y.append(centerY + v * half)
      }
    }
    transformation.apply(x: &x, y: &y, count: x.count)
    guard x.allSatisfy(\.isFinite), y.allSatisfy(\.isFinite) else { return nil }
    return zip(x, y).map { SIMD2($0, $1) }
  }

  private static func chebyshevNode(_ k: Int, of count: Int) -> Double {
    // cos((2k + 1) π / 2n) for n = 6, as literals, so that no maths library is needed.
    [
      0.965_925_826_289_068_3, 0.707_106_781_186_547_5, 0.258_819_045_102_520_74,
      -0.258_819_045_102_520_74, -0.707_106_781_186_547_5, -0.965_925_826_289_068_3,
    ][k]
  }

  /// The coefficients of the polynomial that is 1 at one node and 0 at the other nodes.
  private static func powersOfLagrange(_ nodes: [Double], _ node: Int) -> [Double] {
    var powers = [1.0]
    for other in nodes.indices where other != node {
      let scale = 1 / (nodes[node] - nodes[other])
      var next = [Double](repeating: 0, count: powers.count + 1)
      for (power, value) in powers.enumerated() {
        next[power + 1] += value * scale
        next[power] -= value * nodes[other] * scale
      }
      powers = next
    }
    return powers
  }
}
