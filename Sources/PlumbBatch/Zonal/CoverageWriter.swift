import PlumbCore
import PlumbIO
import PlumbRaster

/// Writes the coverage of areas to a file.
final class CoverageWriter {
  private let file: OutputFile
  private let output: ByteOutput
  private var count = 0

  private static let grain = 256

  /// - Throws: if the file cannot be created.
  init(path: String, _ key: CoverageKey) throws {
    file = try OutputFile(target: path, overwrite: false)
    output = try ByteOutput(file)
    try write(CoverageFormat.start(key))
  }

  private func write(_ bytes: [UInt8]) throws {
    do {
      try output.write(bytes)
    } catch {
      throw file.named(error)
    }
  }

  func write(_ areas: ZonalAreas, hashes: [UInt64], _ workers: Workers) throws {
    let repairs = areas.repairCount
    let blocks = workers.mapRanges(hashes.count, grain: Self.grain) { _, range -> [UInt8]? in
      let bytes = CoverageCoding.bytes(areas, range, hashes: hashes)
      guard let packed = ZlibPacking.packed(bytes, level: 1, workers: Workers(count: 1)) else {
        return nil
      }
      var block = CoverageCoding.ByteWriter()
      let counts = [range.count, range.lowerBound == 0 ? repairs : 0]
      for count in counts { block.put(UInt32(count)) }
      block.put(UInt64(bytes.count))
      block.put(UInt64(packed.count))
      block.put(CoverageFormat.checksum(counts, bytes))
      return block.bytes + packed
    }
    for block in blocks {
      guard let block else { throw PlumbError("not enough memory", code: .system) }
      try write(block)
    }
    count += hashes.count
  }

  /// Completes the file and renames it to its final name.
  ///
  /// - Parameters:
  ///   - repairs: the number of groups with areas that had to be repaired.
  ///   - faults: the number of areas that could not be joined to their group.
  func finish(repairs: Int, faults: Int) throws {
    var end = CoverageCoding.ByteWriter()
    end.put(UInt32(0))
    try write(end.bytes + CoverageFormat.end([count, repairs, faults]))
    try file.commit()
  }
}
