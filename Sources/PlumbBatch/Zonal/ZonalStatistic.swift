import PlumbCore
import PlumbRaster

/// A statistic of the cells under an area.
package enum ZonalStatistic: Sendable, Hashable {
  case count, sum, mean, min, max, range, stdev, variance, cv, coverage, area
  case weightedMean, weightedSum, weightedStdev, minCenter, maxCenter
  case variety, majority, minority, values, coverages, shares
  /// The value below which a fraction of the coverage lies. The fraction is from 0 to 1.
  case quantile(Double)
  case median

  /// The statistics with fixed names.
  private static let named: [(String, ZonalStatistic)] = [
    ("count", .count), ("sum", .sum), ("mean", .mean), ("min", .min), ("max", .max),
    ("range", .range), ("median", .median), ("stdev", .stdev), ("variance", .variance),
    ("cv", .cv), ("variety", .variety), ("majority", .majority), ("minority", .minority),
    ("area", .area), ("coverage", .coverage), ("values", .values), ("coverages", .coverages),
    ("frac", .shares),
    ("weighted_mean", .weightedMean), ("weighted_sum", .weightedSum),
    ("weighted_stdev", .weightedStdev), ("min_center", .minCenter), ("max_center", .maxCenter),
  ]

  /// The names of the same statistics in exactextract and rasterstats.
  private static let aliases: [String: ZonalStatistic] = [
    "std": .stdev, "unique": .variety, "mode": .majority, "coefficient_of_variation": .cv,
  ]

  /// - Parameter text: a name, `quantile:0.9`, or an alias such as `percentile_90`.
  /// - Throws: `bad_option` for an unknown name, or for a quantile that is not from 0 to 1.
  package init(_ text: String) throws(PlumbError) {
    if let known = Self.named.first(where: { $0.0 == text }) {
      self = known.1
      return
    }
    if let known = Self.aliases[text] {
      self = known
      return
    }
    let prefixes = [("quantile:", 1.0), ("percentile_", 100.0)]
    for (prefix, whole) in prefixes where text.hasPrefix(prefix) {
      guard let number = Double(text.dropFirst(prefix.count)), (0...whole).contains(number) else {
        throw PlumbError(
          "\(text.printable) is not a valid quantile: expected a number from 0 to \(whole == 1 ? 1 : 100)",
          code: .badOption)
      }
      self = .quantile(number / whole)
      return
    }
    let names = Self.named.map(\.0)
    guard !text.isEmpty else {
      throw PlumbError("a name in the list of statistics is empty", code: .badOption)
    }
    throw PlumbError(
      "unknown statistic \(text.printable)\(NameSuggestions.hint(text, among: names))",
      code: .badOption)
  }

  /// The name in columns, such as `quantile_0.9` for a quantile.
  package var name: String {
    if case .quantile(let share) = self { return "quantile_\(FieldValue.real(share).plainText)" }
    return Self.named.first { $0.1 == self }?.0 ?? ""
  }

  /// Returns the details of cells that the given statistics need.
  static func detail(of statistics: [ZonalStatistic]) -> ZonalSampler.Detail {
    var detail = ZonalSampler.Detail()
    for statistic in statistics {
      switch statistic {
      case .values, .coverages: detail.needsCells = true
      case .variety, .majority, .minority, .quantile, .median, .shares:
        detail.needsDistribution = true
      case .minCenter, .maxCenter: detail.needsPositions = true
      default: break
      }
    }
    return detail
  }

  /// Whether the statistic can be computed without all distinct values, exactly or as an
  /// approximate quantile.
  var canBeApproximate: Bool {
    switch self {
    case .variety, .majority, .minority, .shares, .values, .coverages: false
    default: true
    }
  }

  /// Whether the statistic is a list of numbers.
  package var isList: Bool { self == .values || self == .coverages || self == .shares }

  /// Whether the statistic needs weights.
  package var needsWeights: Bool {
    switch self {
    case .weightedMean, .weightedSum, .weightedStdev: true
    default: false
    }
  }

  /// Returns the columns of the statistic.
  ///
  /// - Parameters:
  ///   - prefix: the part of the column names before the name of the statistic.
  ///   - type: the type of the band's cells; nil if values are scaled.
  func fields(_ prefix: String, of type: PixelType?) -> [Field] {
    switch self {
    case .minCenter, .maxCenter:
      ["x", "y"].map { Field(name: "\(prefix)\(name)_\($0)", kind: .real) }
    default: [Field(name: prefix + name, kind: kind(of: type))]
    }
  }

  /// Returns the type of the statistic's column for cells of a type. Statistics that are values of
  /// cells keep the type of integer cells.
  private func kind(of type: PixelType?) -> FieldKind {
    switch self {
    case .variety: .integer
    case .values, .coverages, .shares: .text
    case .min, .max, .majority, .minority: type?.zonalKind ?? .real
    // The difference between two 64-bit integers may exceed the largest integer of a column.
    case .range: type == .int64 ? .real : type?.zonalKind ?? .real
    default: .real
    }
  }

  /// The number of the statistic's columns.
  var columnCount: Int { self == .minCenter || self == .maxCenter ? 2 : 1 }

  /// Writes the numbers of the statistic's columns for an area. An area without values has NaN,
  /// except for counts. Nothing is written for lists.
  ///
  /// - Parameter transform: the transform from cells to coordinates.
  func write(
    _ result: ZonalSampler.Result, _ distribution: ZonalDistribution, _ transform: GridTransform,
    to target: UnsafeMutablePointer<Double>
  ) {
    switch self {
    case .minCenter, .maxCenter:
      let extras = result.extras
      guard let cell = self == .minCenter ? extras.minimumCell : extras.maximumCell else { return }
      (target[0], target[1]) = transform.coordinates(
        column: Double(cell.column) + 0.5, row: Double(cell.row) + 0.5)
    default: target[0] = number(result.moments, result.extras, distribution)
    }
  }

  private func number(
    _ moments: ZonalMoments, _ extras: ZonalExtras, _ distribution: ZonalDistribution
  ) -> Double {
    switch self {
    case .count: return moments.count
    case .coverage: return moments.coverage
    case .area: return extras.area
    case .variety: return Double(distribution.variety)
    default: break
    }
    guard moments.count > 0 else { return .nan }
    return switch self {
    case .weightedMean: extras.weightedMean
    case .weightedSum: extras.weightedSum
    case .weightedStdev: extras.weightedVariance.squareRoot()
    case .sum: moments.sum
    case .mean: moments.mean
    case .min: moments.minimum
    case .max: moments.maximum
    case .range: moments.maximum - moments.minimum
    case .variance: moments.variance
    case .stdev: moments.variance.squareRoot()
    case .cv: moments.variance.squareRoot() / moments.mean
    case .majority: distribution.majority
    case .minority: distribution.minority
    case .median: distribution.quantile(0.5)
    case .quantile(let share): distribution.quantile(share)
    case .count, .coverage, .area, .variety, .values, .coverages, .shares, .minCenter, .maxCenter:
      .nan
    }
  }

  /// Returns a list statistic as JSON.
  func list(_ moments: ZonalMoments, _ distribution: ZonalDistribution) -> String {
    switch self {
    case .values: Self.list(distribution.cells.map(\.value))
    case .coverages: Self.list(distribution.cells.map(\.weight))
    case .shares: Self.list(distribution.entries.map { $0.weight / moments.count })
    default: ""
    }
  }

  private static func list(_ numbers: [Double]) -> String {
    let texts = numbers.map { $0.isFinite ? FieldValue.real($0).plainText : "null" }
    return "[" + texts.joined(separator: ",") + "]"
  }
}

extension PixelType {
  /// The column type of statistics that are values of cells. They are computed as doubles, and a
  /// column of integers cannot contain all unsigned 64-bit values.
  var zonalKind: FieldKind { fieldKind == .integer ? .integer : .real }
}
