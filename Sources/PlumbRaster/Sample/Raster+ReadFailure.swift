import PlumbCore

extension Raster {
  /// The error from reading the first, the middle or the last tile of a file; nil if these tiles can be read.
  /// For a mosaic, only some of its files are read. Files at URLs are not read.
  package var readFailure: MessageTemplate? {
    let step = max(1, members.count / Self.checkedMembers)
    for index in stride(from: 0, to: members.count, by: step) {
      let member = members[index]
      guard !member.isRemote, member.pointValues == nil else { continue }
      do throws(RasterError) {
        let reader = try member.makeReader()
        let profile = member.profile
        let buffer = TrivialBuffer<UInt8>(count: profile.tileByteCount(plane: 0))
        let last = profile.grid.tileCount - 1
        for tile in Set([0, last / 2, last]) where last >= 0 {
          try reader.readTile(
            plane: 0, tile: tile,
            into: UnsafeMutableRawBufferPointer(start: buffer.base, count: buffer.count))
        }
      } catch {
        return "\(member.path.printable): \(error.message)"
      }
    }
    return nil
  }

  private static let checkedMembers = 32
}
