import Plumb

/// The points of a call, in the caller's arrays.
struct SamplePoints: Sendable {
  private var x: SharedPointer<UnsafePointer<Double>>
  private var y: SharedPointer<UnsafePointer<Double>>
  let count: Int
  /// The owners of the arrays; empty if the caller owns the arrays.
  private var owners: [TrivialBuffer<Double>] = []

  /// - Throws: if a required array is null, or if an array is not aligned.
  init(_ x: UnsafePointer<Double>?, _ y: UnsafePointer<Double>?, _ n: Int64) throws {
    guard n >= 0, n < Int64(UInt32.max) else {
      throw CallError.bad("\(n) points: there may be 0 to \(UInt32.max - 1) at once")
    }
    count = Int(n)
    self.x = SharedPointer(try Self.array(x, count, "x"))
    self.y = SharedPointer(try Self.array(y, count, "y"))
  }

  /// A copy of the points, for work that may continue after the call.
  func copy() -> SamplePoints {
    var copy = self
    copy.owners = [x, y].map { column in
      let duplicate = TrivialBuffer<Double>(count: count)
      duplicate.base.update(from: column.pointer, count: count)
      return duplicate
    }
    copy.x = SharedPointer(UnsafePointer(copy.owners[0].base))
    copy.y = SharedPointer(UnsafePointer(copy.owners[1].base))
    return copy
  }

  private static func array(
    _ array: UnsafePointer<Double>?, _ count: Int, _ name: String
  ) throws -> UnsafePointer<Double> {
    guard let array else {
      guard count == 0 else { throw CallError.null(name) }
      return UnsafePointer(nothing.base)
    }
    guard UInt(bitPattern: array) % UInt(MemoryLayout<Double>.alignment) == 0 else {
      throw CallError.bad("\(name) is not aligned to 8 bytes")
    }
    return array
  }

  private static let nothing = TrivialBuffer<Double>(count: 1, zeroed: true)

  /// Calls `body` with the points. Points that are not finite have the status `badPoint`.
  func withCoordinates<Result>(
    _ workers: Workers, _ body: (PointCoordinates) throws -> Result
  ) rethrows -> Result {
    let status = badPoints(workers)
    return try withExtendedLifetime((status, owners)) {
      try body(
        PointCoordinates(
          x: x.pointer, y: y.pointer, status: status.map { UnsafePointer($0.base) }, count: count))
    }
  }

  /// The number of points checked together.
  private static let grain = 1 << 17

  /// Returns the statuses of the points; nil if all points are finite.
  private func badPoints(_ workers: Workers) -> TrivialBuffer<UInt8>? {
    // If there is only one range, no other thread is used.
    let isFinite = workers.mapRanges(count, grain: Self.grain) { _, range in areFinite(range) }
    if !isFinite.contains(false) { return nil }
    let status = TrivialBuffer<UInt8>(count: count)
    workers.runRanges(count, grain: Self.grain) { _, range in
      for i in range {
        let isFinite = x.pointer[i].isFinite && y.pointer[i].isFinite
        status.base[i] = (isFinite ? SampleStatus.ok : .badPoint).rawValue
      }
    }
    return status
  }

  private func areFinite(_ range: Range<Int>) -> Bool {
    let (x, y) = (x.pointer, y.pointer)
    // The product of 0 and a coordinate is 0 if the coordinate is finite, and NaN otherwise.
    var sums = SIMD8<Double>(repeating: 0)
    var i = range.lowerBound
    while i + 8 <= range.upperBound {
      let xs = UnsafeRawPointer(x + i).loadUnaligned(as: SIMD8<Double>.self)
      let ys = UnsafeRawPointer(y + i).loadUnaligned(as: SIMD8<Double>.self)
      sums += xs * 0 + ys * 0
      i += 8
    }
    var sum = sums.sum()
    while i < range.upperBound {
      sum += x[i] * 0 + y[i] * 0
      i += 1
    }
    return sum == 0
  }
}
