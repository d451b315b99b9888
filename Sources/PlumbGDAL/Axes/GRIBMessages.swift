import CGDAL

/// Reads the grids of the messages of a GRIB file, in their order.
struct GRIBMessages: ~Copyable {
  struct Message {
    let edition: Int
    /// The grids of the message; empty if it does not describe one.
    var grids: [GRIBGrid] = []
    /// Whether GDAL decodes the values; true for all messages of edition 2. In edition 1, GDAL decodes only
    /// grid-point values in simple packing, and returns arbitrary values for other messages.
    var isDecoded = true
    /// The first data representation template of a message of edition 2.
    var template: Int?
  }

  private let file: plumb_gdal_file
  /// The position where the search for the next message begins.
  private var position = 0

  /// The number of bytes that are searched at once for the next message.
  private static let windowBytes = 1 << 16
  /// The number of bytes of the shortest message of edition 1.
  private static let shortest = 52
  /// The largest number of bytes of a grid definition that are read.
  private static let gridBytes = 1 << 20
  /// The largest number of sections of a message that are read.
  private static let sectionCount = 100_000

  /// - Returns: nil for a file that cannot be opened.
  init?(path: String) {
    guard let file = VSIFOpenL(path, "rb") else { return nil }
    self.file = file
  }

  deinit { VSIFCloseL(file) }

  /// Returns the first message of a file; nil for a file without one, and for a file that cannot be
  /// read.
  static func first(path: String) -> Message? {
    var messages = GRIBMessages(path: path)
    return messages?.next()
  }

  /// Checks that GDAL decodes the values of a file and places its cells correctly. GDAL uses the grid of
  /// the first message for all messages, and does not mirror rows that run from east to west.
  ///
  /// - Parameters:
  ///   - name: the path in messages.
  ///   - count: the number of messages that are read.
  static func check(path: String, called name: String, count: Int) throws(GDALError) {
    guard var messages = GRIBMessages(path: path) else { return }
    var first: [Int: GRIBGrid] = [:]
    for number in 1...max(1, count) {
      guard let message = messages.next() else { return }
      guard message.isDecoded else {
        throw GDALError(
          "\(name.printable): GDAL does not decode the packing of the values of message \(number); convert the "
            + "file with grib_set -r -s packingType=grid_simple IN OUT", code: .unsupported)
      }
      for grid in message.grids {
        if grid.runsWestward {
          throw GDALError(
            "\(name.printable): its rows run from east to west, and GDAL places them wrongly",
            code: .unsupported)
        }
        if grid.corners?.contradictIncrements == true {
          throw GDALError(
            "\(name.printable): the increments of its grid do not lead from the first to the last cell",
            code: .unsupported)
        }
        // The first grid of each edition is kept, because only grids of the same edition are compared
        // completely.
        for known in first.values where !known.isSame(as: grid) {
          throw GDALError(
            "\(name.printable): the grid of message \(number) differs from the grid of the first message, and GDAL "
              + "places its cells wrongly; copy the messages of each grid to a separate file",
            code: .unsupported)
        }
        first[message.edition] = first[message.edition] ?? grid
      }
    }
  }

  /// Returns the next message; nil at the end of the file, and before bytes that are not a message.
  mutating func next() -> Message? {
    guard let start = nextMessage() else { return nil }
    let head = bytes(at: start, 16)
    guard head.count == 16 else { return nil }
    switch head[7] {
    case 1:
      let length = GRIBGrid.number(head, 4, 3)
      // GDAL reads no shorter message.
      guard length >= Self.shortest else { return nil }
      position = start + length
      return message1(at: start + 8)
    case 2:
      let length = GRIBGrid.number(head, 8, 8)
      guard length >= 16, length < 1 << 50 else { return nil }
      position = start + length
      return message2(from: start + 16, to: position)
    default: return nil
    }
  }

  /// Returns the position of the next message. Other bytes may be between two messages.
  private func nextMessage() -> Int? {
    let mark = Array("GRIB".utf8)
    func isMessage(_ bytes: ArraySlice<UInt8>) -> Bool {
      bytes.starts(with: mark) && [1, 2].contains(bytes[bytes.startIndex + 7])
    }
    var start = position
    var size = 8
    while true {
      let window = bytes(at: start, size)
      guard window.count >= 8 else { return nil }
      let found = (0...window.count - 8).first {
        window[$0] == mark[0] && isMessage(window[$0..<$0 + 8])
      }
      if let found { return start + found }
      start += window.count - 7
      size = Self.windowBytes
    }
  }

  /// Reads a message of edition 1 whose product definition section begins at a position.
  private func message1(at product: Int) -> Message {
    var message = Message(edition: 1)
    let head = bytes(at: product, 8)
    guard head.count == 8 else { return message }
    var start = product + GRIBGrid.number(head, 0, 3)
    let (hasGrid, hasBitmap) = (head[7] & 0x80 != 0, head[7] & 0x40 != 0)
    if hasGrid {
      let length = bytes(at: start, 3)
      guard length.count == 3 else { return message }
      let count = GRIBGrid.number(length, 0, 3)
      message.grids =
        GRIBGrid(edition1: bytes(at: start, min(count, Self.gridBytes))).map { [$0] } ?? []
      start += count
    } else {
      message.grids = [GRIBGrid(predefined: head[6])]
    }
    if hasBitmap {
      let bitmap = bytes(at: start, 6)
      guard bitmap.count == 6 else { return message }
      // A number other than 0 refers to a predefined bitmap, which is not in the file.
      if GRIBGrid.number(bitmap, 4, 2) != 0 { message.isDecoded = false }
      start += GRIBGrid.number(bitmap, 0, 3)
    }
    let data = bytes(at: start, 4)
    // Spherical harmonics, second-order packing, and additional flags, such as those of matrices and IEEE numbers.
    if data.count == 4, data[3] & 0xD0 != 0 { message.isDecoded = false }
    return message
  }

  /// Reads a message of edition 2, which may contain several grids.
  private func message2(from start: Int, to end: Int) -> Message {
    var message = Message(edition: 2)
    var section = start
    for _ in 0..<Self.sectionCount {
      // The last four bytes of a message are not a section.
      guard section + 5 <= end else { break }
      let head = bytes(at: section, 5)
      guard head.count == 5 else { break }
      let length = GRIBGrid.number(head, 0, 4)
      // The end of a message is 7777, which is not the length of a section.
      guard length >= 5, section + length <= end else { break }
      if head[4] == 3,
        let grid = GRIBGrid(edition2: bytes(at: section, min(length, Self.gridBytes)))
      {
        let isKnown = message.grids.contains { $0.isSame(as: grid) }
        if !isKnown { message.grids.append(grid) }
        // GDAL uses only one grid, so a second grid is sufficient to reject the message.
        if message.grids.count > 1 { break }
      }
      if head[4] == 5, message.template == nil {
        let representation = bytes(at: section, 11)
        if representation.count == 11 { message.template = GRIBGrid.number(representation, 9, 2) }
      }
      section += length
    }
    return message
  }

  /// Reads bytes at a position; fewer at the end of the file.
  private func bytes(at position: Int, _ count: Int) -> [UInt8] {
    guard VSIFSeekL(file, UInt64(position), SEEK_SET) == 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
      read = VSIFReadL(buffer.baseAddress, 1, count, file)
    }
  }
}
