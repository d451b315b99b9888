import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Stacks with dates, prepared for matching to the times of rows.
final class DatedSource {
  let stacks: [DatedStack]
  let matching: TimeMatching
  /// The rasters of all dates of all stacks.
  let identifier: RasterIdentifier
  /// The same rasters without interpolation, for conditions.
  let conditionIdentifier: RasterIdentifier
  let condition: CellCondition?
  let variables: CellVariables
  let isScaled: Bool
  /// The index of the request for the first date of each stack.
  private let firstRequests: [Int]

  /// - Parameter reference: the CRS of the points.
  /// - Throws: for an invalid condition.
  init(
    _ stacks: [DatedStack], _ matching: TimeMatching, _ options: BatchIdentify.Options,
    reference: SpatialReference?, cache: TileCache
  ) throws {
    (self.stacks, self.matching, isScaled) = (stacks, matching, options.columns.isScaled)
    var firsts: [Int] = []
    var requests: [RasterSampler.Request] = []
    for stack in stacks {
      firsts.append(requests.count)
      try stack.check(options.bands)
      requests += stack.slices.map { stack.request($0, options.bands) }
    }
    firstRequests = firsts
    neededDates = stacks.map { _ in [] }
    func identifier(_ resampling: Resampling) throws -> RasterIdentifier {
      try RasterIdentifier(
        requests, reference: reference, resampling: resampling, cache: cache,
        workers: options.workers)
    }
    self.identifier = try identifier(options.resampling)
    let isStored = options.resampling == .nearest || matching.condition == nil
    conditionIdentifier = isStored ? self.identifier : try identifier(.nearest)
    let variables = CellVariables(
      of: stacks, bands: options.bands, isScaled: options.columns.isScaled)
    self.variables = variables
    condition = try matching.condition.map { try variables.compile($0) }
    let isReal = { (band: Band) in
      options.resampling != .nearest || options.columns.isScaled && band.isScaled
    }
    let bands = stacks.map { $0.bands(options.bands) }
    if matching.result != .nearest, bands.joined().contains(where: \.pixelType.isComplex) {
      throw PlumbError("complex values cannot be interpolated or reduced")
    }
    layouts =
      switch matching.result {
      case .nearest: nil
      case .interpolated: bands.map { .interpolated($0.count) }
      case .reduced(let list): bands.map { .reduced(list, $0, isReal: isReal) }
      }
  }

  /// The approximate memory in bytes that a row needs while its dates are visited.
  var rowBytes: Int {
    stacks.indices.reduce(64) { sum, stack in
      let bands = identifier.sampler.requests[request(stack: stack, slice: 0)].bands.count
      let collected = matching.result == .nearest ? 0 : 72
      return sum + 32 + bands * (16 + collected)
    }
  }

  /// The bands of each date of a stack.
  func bands(of stack: Int) -> [Band] {
    let request = identifier.sampler.requests[request(stack: stack, slice: 0)]
    return request.bands.map { stacks[stack].raster.bands[$0] }
  }

  /// The index of the request for a date of a stack.
  func request(stack: Int, slice: Int) -> Int { firstRequests[stack] + slice }

  /// The stacks whose values the condition uses.
  var conditionStacks: [Int] {
    condition.map { variables.stacks(of: $0) } ?? []
  }

  /// Whether each row uses only its nearest date, even if this date has no value.
  var isFirstOnly: Bool { condition == nil && matching.result == .nearest }

  /// The result columns of each stack; nil if each column is a band.
  let layouts: [DateLayout]?

  /// For each stack, the dates that rows needed.
  private(set) var neededDates: [Set<Int>]

  /// The times of rows for which a date of a stack may be used; nil if there are none.
  func times(of date: Int64, _ stack: Int, _ slice: Int) -> ClosedRange<Int64>? {
    guard isFirstOnly else {
      return matching.times(of: date, previous: nil, next: nil, isFirstOnly: false)
    }
    let slices = stacks[stack].slices
    return matching.times(
      of: date, previous: slice > 0 ? slices[slice - 1].date.microseconds : nil,
      next: slice + 1 < slices.count ? slices[slice + 1].date.microseconds : nil,
      isFirstOnly: true)
  }

  /// Records that rows need a date of a stack.
  func note(stack: Int, slice: Int) { neededDates[stack].insert(slice) }

  /// The dates of each stack, one line each.
  var plan: [String] {
    stacks.map { stack in
      let axis = DateAxis(stack)
      return "\(stack.name.printable): \(axis.count) dates from \(axis.first) to \(axis.last) in "
        + "\(axis.fileCount) files"
    }
  }

  /// The number of dates that rows needed, one line for each stack.
  var account: [String] {
    zip(stacks, neededDates).map {
      "\($0.name.printable): \($1.count) of \($0.slices.count) dates needed"
    }
  }

  /// Warnings for the user about the axes.
  var warnings: [String] {
    var lines = stacks.flatMap(\.warnings)
    // Without a common date, no date is valid, as if every cell were masked.
    for condition in conditionStacks {
      let known = Set(stacks[condition].slices.map(\.date.microseconds))
      for stack in stacks
      where !stack.slices.contains(where: { known.contains($0.date.microseconds) }) {
        lines.append(
          "\(stack.name.printable) and \(stacks[condition].name.printable) have no date in common, so no date "
            + "of \(stack.name.printable) is valid")
      }
    }
    return lines
  }

  /// Returns the read failures since the last call, and clears them.
  func drainFailures() -> ReadFailures {
    var failures = identifier.sampler.drainFailures()
    if conditionIdentifier !== identifier {
      failures.add(conditionIdentifier.sampler.drainFailures())
    }
    return failures
  }
}
