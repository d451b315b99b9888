import PlumbCore
import PlumbGeometry

/// Counts the features that a run could not buffer.
struct BufferCounter {
  package let itemName: String
  private let firstNumber: Int
  /// The number of features counted so far.
  package private(set) var count = 0
  /// Whether the accuracy of the transformation has been checked.
  var hasWarned = false
  private var missing = 0
  private var firstMissing: [Int] = []
  /// The faults of features whose buffers could not be computed.
  package private(set) var faults = FeatureFaults()
  private var emptyAreas = 0
  private var farAreas = 0
  private var longEdges: LongEdges
  /// The maximum longitude and latitude in the output's unit; nil if the output's CRS is not geographic.
  private let limit: SIMD2<Double>?

  /// - Parameters:
  ///   - firstNumber: the number of the first feature in messages.
  ///   - input: the CRS of the features.
  ///   - output: the CRS of the areas.
  package init(
    itemName: String, firstNumber: Int = 1, input: SpatialReference?, output: SpatialReference?
  ) {
    self.itemName = itemName
    self.firstNumber = firstNumber
    longEdges = LongEdges(in: input)
    // The limit allows for rounding errors of a millionth.
    limit = output.flatMap { reference in
      reference.isGeographic
        ? SIMD2(.pi, .pi / 2) * 1.000_001 / reference.unit.factor : nil
    }
  }

  /// Counts a feature.
  ///
  /// - Returns: whether there is a geometry to buffer.
  package mutating func add(_ geometry: Geometry?) -> Bool {
    count += 1
    if let geometry, !geometry.isEmpty {
      longEdges.add(geometry, "\(itemName) \(count - 1 + firstNumber)")
      return true
    }
    missing += 1
    if firstMissing.count < 8 { firstMissing.append(count - 1 + firstNumber) }
    return false
  }

  /// Counts a feature whose buffer could not be computed.
  mutating func addFault(_ message: String) { faults.add(message) }

  /// Whether no feature has a buffer.
  package var isEmpty: Bool { count == missing + faults.count }

  /// Counts an area that is written.
  package mutating func add(_ area: Polygon) {
    if area.isEmpty { emptyAreas += 1 }
    guard let limit else { return }
    let isFar = area.vertices.xy.contains { abs($0.x) > limit.x || abs($0.y) > limit.y }
    if isFar { farAreas += 1 }
  }

  package var warnings: [MessageTemplate] {
    var lines: [MessageTemplate] = []
    if missing > 0 {
      let list = firstMissing.map(String.init).joined(separator: ", ")
      lines.append(
        "\(missing) \(itemName)\(missing == 1 ? " has" : "s have") no geometry: "
          + "\(itemName)\(missing == 1 ? "" : "s") \(list)\(missing > firstMissing.count ? ", …" : "")"
      )
    }
    lines += [faults.warning, longEdges.warning].compactMap { $0.map { MessageTemplate($0) } }
    if emptyAreas > 0 {
      lines.append(
        "\(emptyAreas) buffer\(emptyAreas == 1 ? " is" : "s are") empty: the distance is 0 or less "
          + "for a point or a line, or shrinks an area to nothing")
    }
    if farAreas > 0 {
      lines.append(
        "\(farAreas) buffer\(farAreas == 1 ? " reaches" : "s reach") beyond 180° of longitude or "
          + "90° of latitude; \(.geodesic) cuts them there")
    }
    return lines
  }
}
