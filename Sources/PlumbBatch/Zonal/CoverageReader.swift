import PlumbCore
import PlumbIO
import PlumbRaster

/// Reads the coverage of areas from a file.
final class CoverageReader {
  private let path: String
  private let input: ByteInput
  private let grid: TileGrid
  private let isExact: Bool
  private var count = 0
  private var block: Block?
  private var isAtEnd = false
  /// The number of groups that had to be repaired, and the number of areas that could not be joined
  /// to their group.
  let groups: (repairs: Int, faults: Int)
  private let areaCount: Int

  /// Areas that have been read but not returned.
  private struct Block {
    var bytes: CoverageCoding.ByteReader
    var hashes: ArraySlice<UInt64>
  }

  /// - Throws: if the file is not a coverage file, or was written for another grid, other areas or
  ///   another rule.
  init(path: String, _ key: CoverageKey, _ grid: TileGrid, isExact: Bool) throws {
    (self.path, self.grid, self.isExact) = (path, grid, isExact)
    switch FileKind(path: path) {
    case .folder: throw CoverageFormat.other(path, "is a folder")
    // Opening a pipe might wait for its writer.
    case .stream: throw CoverageFormat.other(path, "is not a regular file")
    case .file, nil: break
    }
    input = try ByteInput(path: path)
    let end = Self.end(input)
    (areaCount, groups) = (end?[0] ?? 0, (end?[1] ?? 0, end?[2] ?? 0))
    let hasStart =
      try input.byteCount.map { $0 >= CoverageFormat.magic.count } ?? false
      && bytes(CoverageFormat.magic.count) == CoverageFormat.magic
    guard hasStart else {
      throw CoverageFormat.other(path, "is not a coverage file")
    }
    let version: UInt32 = try number()
    guard version == CoverageFormat.version else {
      throw CoverageFormat.unusable(
        path,
        "has version \(version) of the format, but this program reads version "
          + "\(CoverageFormat.version)")
    }
    if end == nil { throw CoverageFormat.damaged(path) }
    let parts = [
      (key.areas, "areas"), (key.grid, "grid"), (key.rule, "rule"), (key.operations, "operations"),
    ]
    for (known, name) in parts {
      let size: UInt32 = try number()
      guard try bytes(Int(size)) == Array(known.utf8) else { throw Self.mismatch(path, name) }
    }
  }

  /// Returns the numbers at the end of a file; nil if they are damaged.
  private static func end(_ input: ByteInput) -> [Int]? {
    guard let bytes = input.tail(CoverageFormat.endSize) else { return nil }
    var reader = CoverageCoding.ByteReader(bytes)
    let numbers = (0..<3).map { _ in
      let number: UInt64? = try? reader.number()
      return Int(clamping: number ?? .max)
    }
    let isValid = CoverageFormat.end(numbers) == bytes && numbers.allSatisfy { $0 < 1 << 48 }
    return isValid ? numbers : nil
  }

  private static func mismatch(_ path: String, _ name: String) -> PlumbError {
    let text =
      switch name {
      case "grid": "is the coverage of another grid of cells"
      case "rule": "was computed with another rule for cells, or another threshold"
      case "operations":
        "was computed with another version of PROJ, or with other transformation grids"
      default: "is the coverage of other areas"
      }
    return CoverageFormat.unusable(path, text)
  }

  private func bytes(_ count: Int) throws -> [UInt8] {
    let left = (input.byteCount ?? 0) - input.position
    guard count <= left else { throw CoverageFormat.damaged(path) }
    return try [UInt8](unsafeUninitializedCapacity: max(1, count)) { buffer, filled in
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
        let step = try input.read(rest)
        guard step > 0 else { throw CoverageFormat.damaged(path) }
        filled += step
      }
    }
  }

  private func number<Number: FixedWidthInteger>() throws -> Number {
    var reader = CoverageCoding.ByteReader(try bytes(MemoryLayout<Number>.size))
    do {
      return try reader.number()
    } catch {
      throw CoverageFormat.damaged(path)
    }
  }

  /// A compressed block.
  private struct Packed: Sendable {
    var count: Int
    var repairs: Int
    var size: Int
    var checksum: UInt32
    var bytes: [UInt8]
  }

  /// Reads the next block; nil at the end.
  private func nextBlock() throws -> Packed? {
    guard !isAtEnd else { return nil }
    let count: UInt32 = try number()
    guard count > 0 else {
      guard input.position + CoverageFormat.endSize == input.byteCount,
        areaCount == self.count + pending
      else { throw CoverageFormat.damaged(path) }
      isAtEnd = true
      return nil
    }
    let repairs: UInt32 = try number()
    let (size, packedSize): (UInt64, UInt64) = (try number(), try number())
    let checksum: UInt32 = try number()
    guard packedSize < 1 << 48, size <= CoverageFormat.sizeLimit,
      size <= UInt64(ZlibPacking.largestSize(ofPacked: Int(packedSize)))
    else { throw CoverageFormat.damaged(path) }
    pending += Int(count)
    return Packed(
      count: Int(count), repairs: Int(repairs), size: Int(size), checksum: checksum,
      bytes: try bytes(Int(packedSize)))
  }

  /// The number of areas that have been read but not returned.
  private var pending = 0

  /// Reads the coverage of the next areas.
  ///
  /// - Parameter hashes: the hashes of the areas.
  /// - Throws: if the areas differ from the areas of the file, or if the file is damaged.
  func next(_ hashes: [UInt64], _ workers: Workers) throws -> ZonalAreas {
    var packed: [Packed] = []
    var repairs = 0
    var size = 0
    while pending < hashes.count {
      guard let next = try nextBlock() else { throw Self.mismatch(path, "areas") }
      size += next.size
      guard size <= CoverageFormat.sizeLimit else { throw CoverageFormat.damaged(path) }
      packed.append(next)
      repairs += next.repairs
    }
    let blocks = try workers.map(packed.count) { [packed, path] _, index in
      try Self.unpacked(packed[index], path)
    }
    var parts: [(block: Block, count: Int)] = []
    var missing = hashes.count
    for block in (block.map { [$0] } ?? []) + blocks {
      parts.append((block, min(missing, block.hashes.count)))
      missing -= parts[parts.count - 1].count
    }
    block = nil
    var position = 0
    for part in parts {
      let own = part.block.hashes.prefix(part.count)
      guard own.elementsEqual(hashes[position..<position + part.count]) else {
        throw Self.mismatch(path, "areas")
      }
      position += part.count
    }
    let read = try workers.map(parts.count) { [isExact, grid, path, parts] _, index in
      var (block, count) = parts[index]
      do {
        let areas = try CoverageCoding.areas(&block.bytes, count: count, isExact: isExact, grid)
        block.hashes = block.hashes.dropFirst(count)
        return (areas: areas, rest: block)
      } catch {
        throw CoverageFormat.damaged(path)
      }
    }
    if let rest = read.last?.rest, !rest.hashes.isEmpty { block = rest }
    pending -= hashes.count
    count += hashes.count
    var areas = ZonalAreas(isExact: isExact)
    for part in read { areas.append(part.areas) }
    areas.repairCount = repairs
    return areas
  }

  private static func unpacked(_ packed: Packed, _ path: String) throws -> Block {
    guard let bytes = ZlibPacking.unpacked(packed.bytes[...], byteCount: packed.size),
      CoverageFormat.checksum([packed.count, packed.repairs], bytes) == packed.checksum
    else { throw CoverageFormat.damaged(path) }
    var reader = CoverageCoding.ByteReader(bytes)
    do {
      let hashes = try CoverageCoding.hashes(&reader, count: packed.count)
      return Block(bytes: reader, hashes: hashes[...])
    } catch {
      throw CoverageFormat.damaged(path)
    }
  }

  /// Checks that all areas have been read.
  func finish() throws {
    guard pending == 0, try nextBlock() == nil else { throw Self.mismatch(path, "areas") }
  }
}
