import PlumbCore
import PlumbIO
import PlumbRaster

/// The coverage of the areas of a run, slice by slice: computed, or read from a file.
final class AreaCoverage {
  private enum File {
    case written(CoverageWriter)
    case read(CoverageReader)
  }

  /// The number of areas whose coverage is computed at once.
  private var partSize = 64
  private let grids: [ZonalRasters.Grid]
  /// The number of bands of all rasters.
  private let bandCount: Int
  private let options: ZonalOptions
  private let file: File?
  private var groups = (repairs: 0, faults: 0)
  /// The number of computed coverages, the number of reuses for other bands and rasters, and the largest size in
  /// bytes of the coverages that were in memory at once.
  private var counts = (computed: 0, reused: 0, bytes: 0)

  private static let largestPart = 1 << 14
  /// The size of the coverage of a slice in bytes, approximately.
  private static let sliceBytes = 64 << 20

  /// Opens the file of coverage, if the options name one.
  ///
  /// - Throws: if the file cannot be created, or is not that of the areas and the only grid.
  init(
    _ rasters: ZonalRasters, _ options: ZonalOptions, _ input: AreaInput,
    _ output: any ZonalTarget
  ) throws {
    (grids, bandCount, self.options) = (rasters.grids, rasters.outputBands.count, options)
    guard let path = options.coverage else {
      file = nil
      return
    }
    guard let grid = grids.first, grids.count == 1 else {
      throw PlumbError(
        messageTemplate: "\(.coverage): the rasters have different grids; run each grid on its own",
        code: .badOption)
    }
    guard path != "-" else { throw CoverageFormat.other(path, "is not the name of a file") }
    try InputGuard.check(output: path, inputs: [options.areas] + rasters.files)
    if let output = options.output { try InputGuard.check(path, isNot: output) }
    input.needsHashes = true
    let key = CoverageKey(grid.cells, options.rule, input.reference, radius: options.radius)
    if FileKind(path: path) == nil {
      file = .written(try CoverageWriter(path: path, key))
    } else {
      file = .read(
        try CoverageReader(path: path, key, grid.cells.grid, isExact: options.rule.isExact))
      input.joinsGroups = output.hasShapes
    }
  }

  /// The numbers of groups with areas that had to be repaired, and of areas that could not be joined.
  func groupCounts(of batch: AreaInput.Batch) -> (repairs: Int, faults: Int) {
    var counts = (repairs: batch.repairCount, faults: batch.faultCount)
    if case .read(let reader) = file {
      // All groups are in one batch.
      counts = options.groupColumn == nil ? (0, 0) : reader.groups
    }
    groups = (groups.repairs + counts.repairs, groups.faults + counts.faults)
    return counts
  }

  /// The coverage on each grid of the first of some features, as many as memory allows.
  ///
  /// - Parameter hashes: the hashes of the areas, if there is a file.
  /// - Returns: the coverage, and the number of features.
  /// - Throws: for cancelled work, areas that are not those of the file, and edges that cross too many cells.
  func slice(
    of features: ArraySlice<Feature>, hashes: ArraySlice<UInt64>
  ) throws -> (areas: [ZonalAreas], count: Int) {
    var areas = grids.map { _ in ZonalAreas(isExact: options.rule.isExact) }
    var (count, bytes) = (0, 0)
    repeat {
      let size = min(partSize, features.count - count)
      let part = try self.part(
        of: Array(features.dropFirst(count).prefix(size)),
        hashes: Array(hashes.dropFirst(count).prefix(size)))
      for index in areas.indices { areas[index].append(part[index]) }
      count += size
      bytes = areas.reduce(0) { $0 + $1.coverage.byteCount }
      let fitting = max(0, Self.sliceBytes - bytes) * count / max(1, bytes)
      // The part after the last one of a slice is the first of the next slice.
      let next = fitting > count / 8 ? fitting : Self.sliceBytes * count / max(1, bytes)
      partSize = max(8, min(Self.largestPart, next, partSize * 16))
      if fitting <= count / 8 { break }
    } while count < features.count
    for index in areas.indices { areas[index].order(along: grids[index].cells.grid) }
    let computed = areas.count * count
    counts.computed += computed
    counts.reused += bandCount * count - computed
    counts.bytes = max(counts.bytes, bytes)
    return (areas, count)
  }

  private func part(of features: [Feature], hashes: [UInt64]) throws -> [ZonalAreas] {
    let areas: [ZonalAreas]
    if case .read(let reader) = file {
      areas = [try reader.next(hashes, options.workers)]
    } else {
      areas = try computed(features)
    }
    // Cancelled work is not complete.
    try WorkCancellation.checkCurrent()
    guard !areas.contains(where: \.isOverLimit) else {
      throw PlumbError(
        "the edges of an area cross more than \(options.edgeCellLimit) cells; request a smaller area",
        code: .limit)
    }
    if case .written(let writer) = file {
      try writer.write(areas[0], hashes: hashes, options.workers)
    }
    return areas
  }

  private func computed(_ features: [Feature]) throws -> [ZonalAreas] {
    try grids.map { grid in
      let areas = try grid.discs?.areas(around: features) ?? features.map(\.area)
      return ZonalAreas(
        areas, on: grid.placement, grid.cells, options.rule, limit: options.edgeCellLimit,
        options.workers)
    }
  }

  /// Ends the file that is written, or checks that no area of the file is left.
  func finish() throws {
    switch file {
    case .written(let writer): try writer.finish(repairs: groups.repairs, faults: groups.faults)
    case .read(let reader): try reader.finish()
    case nil: break
    }
  }

  /// What was computed, written or read, in one line.
  var explanation: String {
    let source =
      switch file {
      case .written: "computed and written"
      case .read: "read"
      case nil: "computed"
      }
    return "\(counts.computed) coverages \(source), \(counts.reused) reused, at most "
      + "\(ByteText.describe(counts.bytes)) retained"
  }
}
