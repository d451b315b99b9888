import PlumbCore
import PlumbRaster

/// The extent of all points.
package struct PointExtent {
  package private(set) var x = 0.0...0.0
  package private(set) var y = 0.0...0.0
  private var isEmpty = true
  /// A sample of the points.
  package private(set) var samples: (x: [Double], y: [Double]) = ([], [])

  private static let sampleCount = 32

  package init() {}

  package mutating func add(_ points: PointCoordinates) {
    var (minX, maxX) = isEmpty ? (.infinity, -.infinity) : (x.lowerBound, x.upperBound)
    var (minY, maxY) = isEmpty ? (.infinity, -.infinity) : (y.lowerBound, y.upperBound)
    let status = points.status
    for i in 0..<points.count where status.map({ $0[i] == SampleStatus.ok.rawValue }) ?? true {
      minX = min(minX, points.x[i])
      maxX = max(maxX, points.x[i])
      minY = min(minY, points.y[i])
      maxY = max(maxY, points.y[i])
    }
    // Take samples across the batch, starting with its first point.
    let step = max(1, points.count / Self.sampleCount)
    for i in stride(from: 0, to: points.count, by: step)
    where samples.x.count < Self.sampleCount
      && status.map({ $0[i] == SampleStatus.ok.rawValue }) ?? true
    {
      samples.x.append(points.x[i])
      samples.y.append(points.y[i])
    }
    guard minX <= maxX, minY <= maxY else { return }
    (x, y, isEmpty) = (minX...maxX, minY...maxY, false)
  }
}
