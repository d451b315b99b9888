import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the features that a box meets.
struct BoxSelection {
  /// Two where it crosses 180 degrees; none where nothing lies in it.
  private let boxes: [Envelope]

  /// - Parameters:
  ///   - numbers: the least and the greatest coordinates in the reference's order, with heights
  ///     between where there are six, which do not count.
  ///   - warnings: gets why nothing can lie in the box.
  init(_ numbers: [Double], _ reference: OGCReference, _ warnings: inout [String]) {
    let upper = numbers.count == 6 ? 3 : 2
    var (low, high) = (
      SIMD2(numbers[0], numbers[1]), SIMD2(numbers[upper], numbers[upper + 1])
    )
    if reference.isYFirst { (low, high) = (SIMD2(low.y, low.x), SIMD2(high.y, high.x)) }
    func box(_ west: Double, _ east: Double) -> Envelope {
      Envelope(
        xMin: west, yMin: low.y, xMax: east, yMax: high.y, spatialReference: reference.reference)
    }
    if low.y > high.y {
      warnings.append("bbox: its lower edge lies above its upper one, so that nothing lies in it")
      boxes = []
    } else if low.x <= high.x {
      boxes = [box(low.x, high.x)]
    } else if let half = reference.reference.planePeriod.map({ $0 / 2 }) {
      boxes = [box(low.x, max(half, low.x)), box(min(-half, high.x), high.x)]
    } else {
      warnings.append("bbox: its left edge lies right of its right one, so that nothing lies in it")
      boxes = []
    }
  }

  /// The rows, in the layer's order.
  func rows(of rows: FeatureRows) throws -> [Int] {
    var found: Set<Int> = []
    for box in boxes.flatMap({ near($0, rows) }) {
      var query = RowQuery()
      query.geometry = .envelope(box)
      do {
        found.formUnion(try RowSelection(rows: rows, query: query).found())
      } catch let error as ServiceError where error.kind == .transformFailed {
        // A box may reach farther than the layer's reference: its features are brought to the box.
        found.formUnion(try meeting(box, rows))
      }
    }
    return found.sorted()
  }

  /// The part of a box in which a layer in a plane can have features: a projection may not know what lies
  /// far from them.
  private func near(_ box: Envelope, _ rows: FeatureRows) -> [Envelope] {
    guard let own = rows.reference, !own.isGeographic, let reference = box.spatialReference,
      !own.isEquivalent(to: reference), let extent = rows.extent,
      case .envelope(var reach)? = try? GeometryText.box(extent, in: reference), !reach.isEmpty
    else { return [box] }
    // Sides bend between the points at which they were looked at.
    let margin = 0.05 * max(reach.xMax - reach.xMin, reach.yMax - reach.yMin) + 1e-6
    reach.xMin -= margin
    reach.yMin -= margin
    reach.xMax += margin
    reach.yMax += margin
    let period: Double? = reference.period
    let shifts: [Double] = period.map { [-$0, 0, $0] } ?? [0]
    return shifts.compactMap { shift in
      var part = box
      (part.xMin, part.xMax) = (
        max(box.xMin + shift, reach.xMin), min(box.xMax + shift, reach.xMax)
      )
      (part.yMin, part.yMax) = (max(box.yMin, reach.yMin), min(box.yMax, reach.yMax))
      return part.isEmpty ? nil : part
    }
  }

  private func meeting(_ box: Envelope, _ rows: FeatureRows) throws -> [Int] {
    var query = RowQuery()
    query.outReference = box.spatialReference
    let shapes = try ShapeMaker(rows, query)
    var area = Geometry.polygon(box.polygon)
    area.spatialReference = nil
    let prepared = try PreparedGeometry(area)
    var found: [Int] = []
    for row in 0..<rows.count {
      try WorkCancellation.checkCurrent()
      guard let shape = try shapes.shape(row), !shape.isEmpty else { continue }
      if try prepared.intersects(shape) { found.append(row) }
    }
    return found
  }
}
