import PlumbCore

/// Counts what a run of buffers could not draw.
struct BufferTally {
  let noun: String
  /// Features so far.
  private(set) var count = 0
  /// Whether the transformation's quality has been looked at.
  var hasDoubt = false
  private var missing = 0
  private var firstMissing: [Int] = []
  private var emptyAreas = 0

  init(noun: String) { self.noun = noun }

  /// Counts a feature.
  ///
  /// - Returns: whether there is something to draw a buffer round.
  mutating func add(_ geometry: Geometry?) -> Bool {
    count += 1
    if let geometry, !geometry.isEmpty { return true }
    missing += 1
    if firstMissing.count < 8 { firstMissing.append(count) }
    return false
  }

  mutating func addArea(isEmpty: Bool) {
    if isEmpty { emptyAreas += 1 }
  }

  var warnings: [String] {
    var lines: [String] = []
    if missing > 0 {
      let list = firstMissing.map(String.init).joined(separator: ", ")
      lines.append(
        "\(missing) \(noun)\(missing == 1 ? " has" : "s have") no geometry: "
          + "\(noun)\(missing == 1 ? "" : "s") \(list)\(missing > firstMissing.count ? ", …" : "")")
    }
    if emptyAreas > 0 {
      lines.append(
        "\(emptyAreas) buffer\(emptyAreas == 1 ? " is" : "s are") empty: nothing lies within a "
          + "distance of 0 or less of a point or a line, or deep enough inside an area")
    }
    return lines
  }
}
