import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The dates to read at each point, and the form of the output.
package struct SeriesOptions: Sendable {
  package var files: ImageDates
  package var grouping: DatedStack.Grouping?
  /// The first and the last time in microseconds, inclusive; nil for no limit.
  package var first: Int64?
  package var last: Int64?
  /// The condition that values have to meet.
  package var condition: String?
  /// Whether each date has a separate row.
  package var isLong = false

  package init(files: ImageDates) { self.files = files }
}

/// The dates of stacks, all of which are read at each point.
final class SeriesSource {
  let stacks: [DatedStack]
  let condition: CellCondition?
  let isLong: Bool
  private let variables: CellVariables
  /// The bands that are read, from 0; nil for all.
  private let bands: [Int]?
  /// The requests of all dates, and the names of their columns.
  let requests: [RasterSampler.Request]
  let names: [String]
  /// The stack and the date of each request.
  let dates: [(stack: Int, slice: Int)]

  /// - Parameter bands: the bands that are read, from 0; nil for all.
  /// - Throws: if no file is in the period, and for an invalid condition.
  init(
    _ opened: [DatedStack], _ options: SeriesOptions, bands: [Int]?, isScaled: Bool
  ) throws {
    let stacks = try opened.map { whole in
      try whole.check(bands)
      return try whole.limited(to: options.first, options.last)
    }
    (self.stacks, self.bands) = (stacks, bands)
    variables = CellVariables(of: stacks, bands: bands, isScaled: isScaled)
    condition = try options.condition.map { [variables] in try variables.compile($0) }
    isLong = options.isLong
    let dates = stacks.enumerated().flatMap { number, stack in
      stack.slices.indices.map { (stack: number, slice: $0) }
    }
    self.dates = dates
    names = dates.map { "\(stacks[$0].name)_\(stacks[$0].slices[$1].date.columnText)" }
    requests = dates.map { stacks[$0].request(stacks[$0].slices[$1], bands) }
  }

  /// The number, from 1, of the band in a column.
  ///
  /// - Parameter position: the position among the bands that are read.
  func bandNumber(_ position: Int) -> Int { (bands?[position] ?? position) + 1 }

  /// The number of columns of values.
  var columnCount: Int { requests.reduce(0) { $0 + $1.bands.count } }

  /// Warnings for the user about the axes.
  var warnings: [String] { stacks.flatMap(\.warnings) }

  /// The rasters without interpolation, for the condition; nil if there is no condition or no interpolation.
  private(set) var conditionIdentifier: RasterIdentifier?

  /// Prepares the condition.
  ///
  /// - Parameter reference: the CRS of the points.
  func prepare(
    _ options: BatchIdentify.Options, reference: SpatialReference?, cache: TileCache
  ) throws {
    guard condition != nil, options.resampling != .nearest else { return }
    conditionIdentifier = try RasterIdentifier(
      requests, reference: reference, cache: cache, workers: options.workers)
  }

  /// Changes the status of the values for which the condition is not true or cannot be evaluated.
  ///
  /// - Parameter inputs: the stored values, if the values of `store` are interpolated.
  func apply(to store: AnswerStore, inputs: AnswerStore? = nil, workers: Workers) throws {
    guard let condition else { return }
    let inputs = inputs ?? store
    let mask = CellMask(condition, workers: workers)
    let used = variables.stacks(of: condition)
    let axis = Set(stacks.flatMap { $0.slices.map(\.date.microseconds) }).sorted()
    for part in store.parts.indices {
      for date in axis {
        try WorkCancellation.checkCurrent()
        let requests = dates.indices.filter {
          stacks[dates[$0].stack].slices[dates[$0].slice].date.microseconds == date
        }
        let byStack = Dictionary(uniqueKeysWithValues: requests.map { (dates[$0].stack, $0) })
        let count = store.parts[part].count
        var verdict: DatedPart.Verdict?
        if used.allSatisfy({ byStack[$0] != nil }) {
          let cells = try condition.usedVariables.compactMap { index -> CellInput? in
            let variable = variables[index]
            guard let request = byStack[variable.stack] else { return nil }
            let answer = try inputs.answer(of: request, part: part)
            return CellInput(index, variable, answer.columns[variable.position])
          }
          verdict = DatedPart.Verdict(mask.truths(cells, count: count), cells.map(\.column))
        }
        for request in requests {
          let answer = try store.answer(of: request, part: part)
          for column in answer.columns {
            let status = column.status.base
            for row in 0..<count where status[row] == SampleStatus.ok.rawValue {
              status[row] = verdict?.status(at: row) ?? SampleStatus.noValid.rawValue
            }
          }
          try store.update(answer, of: request, part: part)
        }
      }
    }
  }
}

extension ImageDate {
  /// The date in the name of a column: `2025-03-22`, or `2025-03-22T06:00Z`, with seconds if they are not 0.
  package var columnText: String {
    let text = text
    return text.hasSuffix(":00Z") ? String(text.dropLast(4)) + "Z" : text
  }
}
