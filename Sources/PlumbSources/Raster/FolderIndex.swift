import PlumbCore
import PlumbIO
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The profiles of the tiles of a folder, stored in a file in that folder. With an index, a tile is
/// opened only when a point is on the tile.
///
/// Each entry has the sizes and modification times of the tile and of its side files. A tile with a changed
/// file is opened as if there were no entry.
package struct FolderIndex: Sendable {
  /// The name of the file, in the tiles' folder.
  package static let fileName = ".plumb-index.json"
  /// The format version that is read and written.
  static let version: Int64 = 3
  /// The maximum size of an index file in bytes; a larger file is not read.
  private static let largestFile = 1 << 30

  /// The state of a tile when the index was created.
  struct Tile: Sendable {
    /// The sizes and modification times of the tile's files.
    var stamp: String
    /// The decoder of the tile's cells.
    var route: String
    /// The names of the tile's files, the tile itself first.
    var files: [String]
    var profile: RasterProfile
  }

  /// The tiles, by the names of their files.
  var tiles: [String: Tile] = [:]

  /// Creates an index of opened tiles, all in one folder.
  package init(of tiles: [any TileSource], folder: String) {
    let stamps = Self.stamps(of: folderEntries(folder), in: folder)
    for tile in tiles {
      let name = Self.name(of: tile.path)
      guard let stamp = stamps[name], tile.profile.isPlain else { continue }
      self.tiles[name] = Tile(
        stamp: stamp, route: tile.route, files: tile.files.map { Self.name(of: $0) },
        profile: tile.profile)
    }
  }

  init() {}

  /// Reads a folder's index.
  ///
  /// - Returns: nil if there is no index, or the index was not written by this version.
  package init?(folder: String) {
    let path = folder + "/" + Self.fileName
    guard FileKind(path: path) == .file,
      let file = try? DocumentFile(path: path, limit: Self.largestFile),
      let tree = try? file.bytes.withUnsafeBytes({ try JSONTree($0) }),
      let index = FolderIndex(tree)
    else { return nil }
    self = index
  }

  /// Writes the index to a folder, replacing an existing one.
  ///
  /// - Returns: the path of the file.
  @discardableResult
  package func write(to folder: String) throws -> String {
    let path = folder + "/" + Self.fileName
    let output = try OutputFile(target: path, overwrite: true)
    var bytes: [UInt8] = []
    tree.append(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    let file = try ByteOutput(output)
    try file.write(bytes)
    try output.commit()
    return path
  }

  /// Returns the entry of a tile; nil if there is none, or the tile has changed since the index was
  /// created.
  func tile(_ name: String, stamps: [String: String]) -> Tile? {
    guard let tile = tiles[name], tile.stamp == stamps[name] else { return nil }
    return tile
  }

  // MARK: Stamps

  /// The last part of a path.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// Returns, for each file in a folder, the sizes and modification times of the file and of its
  /// side files. The name of a side file begins with the name of the file, with or without its
  /// extension.
  static func stamps(of names: [String], in folder: String) -> [String: String] {
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    var beside: [Substring: [String]] = [:]
    for name in names.sorted() where !name.hasPrefix(".") {
      guard let stamp = FileStamp(path: base + name) else { continue }
      let fact = "\(name) \(stamp.text)"
      var stem = Substring(name)
      beside[stem, default: []].append(fact)
      while let dot = stem.lastIndex(of: "."), dot != stem.startIndex {
        stem = stem[..<dot]
        beside[stem, default: []].append(fact)
      }
    }
    var result: [String: String] = [:]
    for name in names {
      let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
      guard let facts = beside[stem] else { continue }
      result[name] = facts.joined(separator: "; ")
    }
    return result
  }
}
