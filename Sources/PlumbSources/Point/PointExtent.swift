import PlumbCore

/// The box around all points.
package struct PointExtent {
  package private(set) var x = 0.0...0.0
  package private(set) var y = 0.0...0.0
  private var isEmpty = true
  /// Some of the points.
  package private(set) var samples: (x: [Double], y: [Double]) = ([], [])

  private static let sampleCount = 32

  package init() {}

  package mutating func add(_ batch: PointBatch) {
    var (minX, maxX) = isEmpty ? (.infinity, -.infinity) : (x.lowerBound, x.upperBound)
    var (minY, maxY) = isEmpty ? (.infinity, -.infinity) : (y.lowerBound, y.upperBound)
    let status = batch.status.base
    for i in 0..<batch.count where status[i] == SampleStatus.ok.rawValue {
      minX = min(minX, batch.x.base[i])
      maxX = max(maxX, batch.x.base[i])
      minY = min(minY, batch.y.base[i])
      maxY = max(maxY, batch.y.base[i])
    }
    // Spread over the batch, the first of them.
    let step = max(1, batch.count / Self.sampleCount)
    for i in stride(from: 0, to: batch.count, by: step)
    where samples.x.count < Self.sampleCount && status[i] == SampleStatus.ok.rawValue {
      samples.x.append(batch.x.base[i])
      samples.y.append(batch.y.base[i])
    }
    guard minX <= maxX, minY <= maxY else { return }
    (x, y, isEmpty) = (minX...maxX, minY...maxY, false)
  }
}
