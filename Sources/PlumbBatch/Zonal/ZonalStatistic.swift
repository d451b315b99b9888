import PlumbCore
import PlumbRaster

/// A statistic of the cells under an area.
package enum ZonalStatistic: Sendable, Hashable {
  case count, sum, mean, min, max, range, stdev, variance, cv, coverage
  case variety, majority, minority, values, coverages
  /// The value below which a share of the coverage lies, from 0 to 1.
  case quantile(Double)
  case median

  /// The statistics with fixed names.
  private static let named: [(String, ZonalStatistic)] = [
    ("count", .count), ("sum", .sum), ("mean", .mean), ("min", .min), ("max", .max),
    ("range", .range), ("median", .median), ("stdev", .stdev), ("variance", .variance),
    ("cv", .cv), ("variety", .variety), ("majority", .majority), ("minority", .minority),
    ("coverage", .coverage), ("values", .values), ("coverages", .coverages),
  ]

  /// The names of the same statistics in exactextract and rasterstats.
  private static let aliases: [String: ZonalStatistic] = [
    "std": .stdev, "unique": .variety, "mode": .majority, "coefficient_of_variation": .cv,
  ]

  /// - Parameter text: a name, `quantile:0.9`, or an alias such as `percentile_90`.
  /// - Throws: `bad_option` for an unknown name, and a quantile that is not from 0 to 1.
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
          "\(text.printable) is not a quantile: it takes a number from 0 to \(whole == 1 ? 1 : 100)",
          code: .badOption)
      }
      self = .quantile(number / whole)
      return
    }
    let names = Self.named.map(\.0)
    guard !text.isEmpty else {
      throw PlumbError("a name is missing in the list of statistics", code: .badOption)
    }
    throw PlumbError(
      "unknown statistic \(text.printable)\(NameSuggestions.hint(text, among: names))",
      code: .badOption)
  }

  /// The name in columns: `quantile_0.9` for a quantile.
  package var name: String {
    if case .quantile(let share) = self { return "quantile_\(FieldValue.real(share).plainText)" }
    return Self.named.first { $0.1 == self }?.0 ?? ""
  }

  /// The values that some statistics need.
  static func detail(of statistics: [ZonalStatistic]) -> ZonalSampler.Detail {
    if statistics.contains(.values) || statistics.contains(.coverages) { return .cells }
    let needsDistribution = statistics.contains { statistic in
      switch statistic {
      case .variety, .majority, .minority, .quantile, .median: true
      default: false
      }
    }
    return needsDistribution ? .distribution : .sums
  }

  /// The type of the statistic's column for cells of a type: values that are those of cells keep the type of
  /// integers.
  func kind(of type: PixelType) -> FieldKind {
    switch self {
    case .variety: .integer
    case .values, .coverages: .text
    case .min, .max, .range, .majority, .minority: type.fieldKind
    default: .real
    }
  }

  /// The statistic of an area; null without values, except for counts.
  func value(
    _ moments: ZonalMoments, _ distribution: ZonalDistribution, of type: PixelType
  ) -> FieldValue {
    let value = value(moments, distribution)
    // Doubles represent integers up to 2^53 exactly; larger values were rounded when they were read.
    guard kind(of: type) == .integer, case .real(let number) = value else { return value }
    return .integer(Int64(exactly: number) ?? (number < 0 ? .min : .max))
  }

  private func value(_ moments: ZonalMoments, _ distribution: ZonalDistribution) -> FieldValue {
    func number(_ value: Double) -> FieldValue {
      moments.count > 0 && !value.isNaN ? .real(value) : .null
    }
    switch self {
    case .count: return .real(moments.count)
    case .coverage: return .real(moments.coverage)
    case .sum: return number(moments.sum)
    case .mean: return number(moments.mean)
    case .min: return number(moments.minimum)
    case .max: return number(moments.maximum)
    case .range: return number(moments.maximum - moments.minimum)
    case .variance: return number(moments.variance)
    case .stdev: return number(moments.variance.squareRoot())
    case .cv: return number(moments.variance.squareRoot() / moments.mean)
    case .variety: return .integer(Int64(distribution.entries.count))
    case .majority: return number(distribution.majority)
    case .minority: return number(distribution.minority)
    case .median: return number(distribution.quantile(0.5))
    case .quantile(let share): return number(distribution.quantile(share))
    case .values: return Self.list(distribution.cells.map(\.value))
    case .coverages: return Self.list(distribution.cells.map(\.weight))
    }
  }

  private static func list(_ numbers: [Double]) -> FieldValue {
    let texts = numbers.map { $0.isFinite ? FieldValue.real($0).plainText : "null" }
    return .json("[" + texts.joined(separator: ",") + "]")
  }
}
