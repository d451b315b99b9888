import PlumbCore
import PlumbGeometry
import PlumbIO
import PlumbRaster

/// Provides the coverage of the areas of a run, slice by slice. The coverage is computed, or read
/// from a coverage file.
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
  /// The number of computed coverages, the number of times that a coverage was reused for another
  /// band or raster, and the largest size in bytes of the coverages in memory.
  private var counts = (computed: 0, reused: 0, bytes: 0)

  private static let largestPart = 1 << 14
  /// The approximate size in bytes of the coverage of a slice.
  private static let sliceBytes = 64 << 20

  /// Opens the coverage file, if the options specify one.
  ///
  /// - Throws: if the file cannot be created, if it was written for other areas or another grid, or
  ///   if the rasters have several grids.
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
    let key = CoverageKey(
      grid.cells, options.rule, input.reference, radius: options.radius,
      operations: Transformation.candidates(from: input.reference, to: grid.reference))
    if FileKind(path: path) == nil {
      file = .written(try CoverageWriter(path: path, key))
    } else {
      file = .read(
        try CoverageReader(path: path, key, grid.cells.grid, isExact: options.rule.isExact))
      input.joinsGroups = output.hasShapes
    }
  }

  /// Returns the number of groups with areas that had to be repaired, and the number of areas that
  /// could not be joined.
  func groupCounts(of batch: AreaInput.Batch) -> (repairs: Int, faults: Int) {
    var counts = (repairs: batch.repairCount, faults: batch.faultCount)
    if case .read(let reader) = file {
      // All groups are in one batch.
      counts = options.groupColumn == nil ? (0, 0) : reader.groups
    }
    groups = (groups.repairs + counts.repairs, groups.faults + counts.faults)
    return counts
  }

  /// Returns the coverage on each grid for as many of the first features as memory allows.
  ///
  /// - Parameter hashes: the hashes of the areas; empty if there is no coverage file.
  /// - Returns: the coverage, and the number of features that it includes.
  /// - Throws: if the work is cancelled, if the areas differ from the areas of the coverage file,
  ///   or if edges cross too many cells.
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
      // After the last part of a slice, `partSize` is the size of the next slice's first part.
      let next = fitting > count / 8 ? fitting : Self.sliceBytes * count / max(1, bytes)
      partSize = max(8, min(Self.largestPart, next, partSize * 16))
      if fitting <= count / 8 { break }
    } while count < features.count
    for index in areas.indices {
      areas[index].order(along: grids[index].cells.grid, readCount: bandCount)
    }
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
    // The coverage is incomplete if the work was cancelled.
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
      let discs =
        try grid.discs?.discs(around: features) ?? ZonalDiscs.Discs(areas: features.map(\.area))
      var areas = ZonalAreas(
        discs.areas, on: grid.placement, grid.cells, options.rule, limit: options.edgeCellLimit,
        options.workers)
      for index in discs.untransformed where index < areas.faults.count {
        areas.faults[index] = .transformFailed
      }
      return areas
    }
  }

  /// Completes the file that is written, or checks that all areas of the file have been read.
  func finish() throws {
    switch file {
    case .written(let writer): try writer.finish(repairs: groups.repairs, faults: groups.faults)
    case .read(let reader): try reader.finish()
    case nil: break
    }
  }

  /// One line about the coverages that were computed, written or read.
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
