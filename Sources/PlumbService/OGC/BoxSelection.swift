import Plumb
import PlumbCore
import PlumbGeometry

/// Finds the features that intersect a box.
struct BoxSelection {
  /// The box as a list of boxes. A box that crosses 180 degrees is divided into two boxes. The list
  /// is empty if the box is empty.
  private let boxes: [Envelope]

  /// - Parameters:
  ///   - numbers: the minimum and maximum coordinates in the axis order of the CRS. With six
  ///     numbers, the heights are ignored.
  ///   - warnings: receives the reason if the box is empty.
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
      warnings.append("bbox: the lower edge is above the upper edge, so the box is empty")
      boxes = []
    } else if low.x <= high.x {
      boxes = [box(low.x, high.x)]
    } else if let half = reference.reference.planePeriod.map({ $0 / 2 }) {
      boxes = [box(low.x, max(half, low.x)), box(min(-half, high.x), high.x)]
    } else {
      warnings.append("bbox: the left edge is right of the right edge, so the box is empty")
      boxes = []
    }
  }

  /// Returns the rows in the layer's order.
  func rows(of rows: FeatureRows) throws -> [Int] {
    var found: Set<Int> = []
    for box in boxes.flatMap({ near($0, rows) }) {
      var query = RowQuery()
      query.geometry = .envelope(box)
      do {
        found.formUnion(try RowSelection(rows: rows, query: query).found())
      } catch let error as ServiceError where error.kind == .transformFailed {
        // The box may exceed the domain of the layer's CRS. In this case, the features are
        // projected instead.
        found.formUnion(try meeting(box, rows))
      }
    }
    return found.sorted()
  }

  /// Returns the parts of a box in which a projected layer can have features. The rest of the box is
  /// omitted, because a projection may fail far from its area of use.
  private func near(_ box: Envelope, _ rows: FeatureRows) -> [Envelope] {
    guard let rowReference = rows.reference, !rowReference.isGeographic,
      let reference = box.spatialReference,
      !rowReference.isEquivalent(to: reference), let extent = rows.extent,
      case .envelope(var validArea)? = try? GeometryText.box(extent, in: reference),
      !validArea.isEmpty
    else { return [box] }
    // The margin is needed because the projected edges are curved between the sampled points.
    let margin = 0.05 * max(validArea.xMax - validArea.xMin, validArea.yMax - validArea.yMin) + 1e-6
    validArea.xMin -= margin
    validArea.yMin -= margin
    validArea.xMax += margin
    validArea.yMax += margin
    let period: Double? = reference.period
    let shifts: [Double] = period.map { [-$0, 0, $0] } ?? [0]
    return shifts.compactMap { shift in
      var part = box
      (part.xMin, part.xMax) = (
        max(box.xMin + shift, validArea.xMin), min(box.xMax + shift, validArea.xMax)
      )
      (part.yMin, part.yMax) = (max(box.yMin, validArea.yMin), min(box.yMax, validArea.yMax))
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
