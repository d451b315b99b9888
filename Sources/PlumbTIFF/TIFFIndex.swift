import CTIFF
import PlumbIO

/// The positions of a TIFF's tile lists (the offsets and lengths of its tiles), which have to be read before
/// any tile can be found.
package struct TIFFIndex {
  /// The byte ranges of the lists of offsets and of lengths, except lists inside the directory.
  private(set) var lists: [Range<Int>] = []

  package var byteCount: Int { lists.reduce(0) { $0 + $1.count } }

  /// Reads the first directory; the index is empty if the file is not a TIFF.
  init(_ file: RemoteFile) throws(HTTPError) {
    let read = { (count: Int, position: Int) throws(HTTPError) in
      try Self.read(count, at: position, of: file)
    }
    guard let (position, order) = try TIFFDirectory.first(read),
      let directory = try TIFFDirectory(at: position, order, size: file.byteCount, read)
    else {
      self.init()
      return
    }
    self.init(directory)
  }

  private init() {}

  package init(_ directory: TIFFDirectory) {
    let tags = [
      TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_TILEOFFSETS, TIFFTAG_TILEBYTECOUNTS,
    ]
    lists = tags.compactMap { directory.entries[Int($0)] }.filter { !$0.isWithin }.map(\.values)
  }

  private static func read(
    _ count: Int, at offset: Int, of file: RemoteFile
  ) throws(HTTPError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var (got, fault): (Int, HTTPError?) = (0, nil)
    bytes.withUnsafeMutableBytes { target in
      do throws(HTTPError) {
        got = try file.read(target, at: offset)
      } catch {
        fault = error
      }
    }
    if let fault { throw fault }
    return got == count ? bytes : nil
  }
}
