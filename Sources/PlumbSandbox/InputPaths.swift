import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files that belong to an input that is not a single plain file. These are the input's side
/// files, which have the same name, and the folders of the files to which the input refers.
///
/// The sandbox limits the whole run to these paths, even if a document is malicious. Plumb finds
/// the paths in the strings of arguments and in the files before a library opens the files.
struct InputPaths {
  /// The paths of files, and of folders with all their contents.
  private(set) var paths: [String] = []
  private var seen: Set<ByteName> = []

  /// File extensions of formats that store their data in one file and in side files of the same
  /// name.
  private static let compact = [
    ".gml", ".xml", ".gfs", ".mif", ".mid", ".tab", ".vrt", ".dxf", ".dgn", ".json", ".topojson",
    ".tif", ".tiff", ".img", ".asc", ".nc", ".h5", ".hdf", ".grb", ".grb2", ".grib", ".jp2", ".png",
    ".jpg", ".osm", ".pbf", ".sqlite", ".db", ".mbtiles", ".xlsx", ".ods", ".kmz", ".zip",
    ".pmtiles", ".arrow", ".feather", ".fits", ".gmt", ".jml", ".svg", ".mdb", ".dbf",
  ]
  private static let depthLimit = 8
  private static let textLimit = 64 << 20

  init(of argument: String) {
    add(argument: argument)
    // The argument is a pattern of names in the working directory.
    if paths.isEmpty, argument.utf8.contains(where: { "*?[".utf8.contains($0) }) { paths = ["."] }
  }

  private mutating func add(argument: String) {
    guard !exists(argument) else { return add(path: argument, depth: 0) }
    if let document = Self.document(argument) {
      let folder = document.folderPrefix
      paths += [document, folder.isEmpty ? "." : folder]
      return
    }
    // In arguments such as `NAME=PATH`, `DRIVER:"PATH":LAYER` and `/vsizip/{PATH}/FILE`, each word
    // between the marks may be a path or begin with a path.
    let marks = "\"'{}=:,?".utf8
    for word in argument.utf8.split(whereSeparator: { marks.contains($0) }) {
      // The word after `://` is the name of another host.
      if word.starts(with: "//".utf8) { continue }
      var words = String(decoding: word, as: UTF8.self).pathWords
      if words.count > 2, words[0].isEmpty, words[1].hasBytes(atStart: "vsi") {
        words.removeFirst(2)
      }
      while !words.isEmpty {
        let path = words.joined(separator: "/")
        let rooted = "/" + path
        if path.utf8.contains(where: { $0 != UInt8(ascii: "/") }), exists(path) {
          add(path: path, depth: 0)
          break
        }
        if path.utf8.first != UInt8(ascii: "/"), rooted.utf8.count > 1, exists(rooted) {
          add(path: rooted, depth: 0)
          break
        }
        words.removeLast()
      }
    }
  }

  /// The document in an argument such as `NAME=items.json#ASSET`, which refers to files in its folder.
  private static func document(_ argument: String) -> String? {
    let bytes = argument.utf8
    guard let hash = bytes.lastIndex(of: UInt8(ascii: "#")) else { return nil }
    let path = bytes[..<hash]
    let named = path.firstIndex(of: UInt8(ascii: "=")).map { path[path.index(after: $0)...] }
    return [path, named].compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
      .first(where: exists)
  }

  private mutating func add(path: String, depth: Int) {
    guard depth < Self.depthLimit, seen.insert(ByteName(path)).inserted else { return }
    paths.append(path)
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
    let lower = path.lowercasedASCII
    let folder = path.folderPrefix
    guard Self.compact.contains(where: { lower.hasBytes(atEnd: $0) }) else {
      // In other formats, the names of the other files of the input are unknown, so the whole
      // folder is added.
      paths.append(folder.isEmpty ? "." : folder)
      return
    }
    let name = path.lastPathWord
    let stem = Self.stem(of: name).lowercasedASCII + "."
    for other in folderEntries(folder.isEmpty ? "." : folder)
    where other.lowercasedASCII.hasBytes(atStart: stem) && !other.hasSameBytes(as: name) {
      paths.append(folder + other)
    }
    for named in Self.names(in: path, lower) {
      let start = named.hasBytes(atStart: "/") ? [named] : [folder + named, named]
      for other in start + start.map({ $0 + ".tab" }) where exists(other) {
        let parent = other.folderPrefix
        if seen.insert(ByteName(parent)).inserted { paths.append(parent.isEmpty ? "." : parent) }
        add(path: other, depth: depth + 1)
      }
    }
  }

  private static func stem(of name: String) -> String {
    let end = name.utf8.firstIndex(of: UInt8(ascii: ".")) ?? name.utf8.endIndex
    return String(decoding: name.utf8[..<end], as: UTF8.self)
  }

  /// The files that a VRT or TAB file refers to.
  private static func names(in path: String, _ lower: String) -> [String] {
    let isTable = lower.hasBytes(atEnd: ".tab")
    guard isTable || lower.hasBytes(atEnd: ".vrt"),
      let bytes = try? SmallFile.bytes(of: path, limit: textLimit)
    else { return [] }
    if isTable {
      // Names are in quotation marks.
      return bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        .enumerated().compactMap { index, part in
          index % 2 == 1 && part.count < 4096 ? String(decoding: part, as: UTF8.self) : nil
        }
    }
    guard let root = bytes.withUnsafeBytes({ try? XMLElement($0) }) else { return [] }
    var names: [String] = []
    var open = [root]
    while let element = open.popLast() {
      if ["sourcefilename", "sourcedataset", "srcdatasource"].contains(
        element.name.lowercasedASCII), !element.text.isEmpty
      {
        names.append(element.text)
      }
      open += element.children
    }
    return names
  }
}
