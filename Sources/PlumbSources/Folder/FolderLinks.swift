import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The entries of folders that are neither regular files nor folders, such as symbolic links and pipes. Each
/// folder is read only once.
final class FolderLinks: Sendable {
  package struct Link: Sendable {
    package var path: String
    /// The kind of the link's target; nil if the target does not exist.
    package var kind: FileKind?
    /// The path of the target without symbolic links; nil if the target does not exist, or its path is not
    /// UTF-8.
    package var target: String?
  }

  private let known = Mutex<[ByteName: [Link]]>([:])

  /// Returns the links that are opened along with a path. For a file, these are the links whose
  /// names start with the file's stem (`a.tif.ovr`, `a.prf`, `a.aux.xml`). For a Zarr store, these are all links in
  /// the store. For any other folder, these are the links in the folder that do not point to folders.
  func belonging(to path: String) -> [Link] {
    switch FileKind(path: path) {
    case .folder:
      let folder = path.hasBytes(atEnd: "/") ? path : path + "/"
      if Self.isStore(folder) { return linksOfStore(folder) }
      return links(in: folder).filter { $0.kind != .folder }
    case .file:
      let name = path.lastPathWord
      let stem = name.utf8.lastIndex(of: UInt8(ascii: ".")).map {
        String(decoding: name.utf8[...$0], as: UTF8.self).lowercasedASCII
      }
      // GDAL compares names ignoring ASCII case.
      let start = stem ?? name.lowercasedASCII
      return links(in: path.folderPrefix).filter { link in
        let other = link.path.lastPathWord
        return !other.hasSameBytes(as: name) && other.lowercasedASCII.hasBytes(atStart: start)
      }
    default: return []
    }
  }

  /// Whether a folder is a Zarr store or a group in a store.
  private static func isStore(_ folder: String) -> Bool {
    [".zgroup", ".zmetadata"].contains { FileKind(path: folder + $0) != nil }
  }

  /// The links in a Zarr store and in all folders below it.
  private func linksOfStore(_ folder: String) -> [Link] {
    let own = links(in: folder)
    let linked = Set(own.map { ByteName($0.path) })
    let folders = folderEntries(folder).map { folder + $0 }
      .filter { FileKind(path: $0) == .folder && !linked.contains(ByteName($0)) }
    return own + folders.flatMap { linksOfStore($0 + "/") }
  }

  /// - Parameter folder: ends with a slash; empty for the working folder.
  private func links(in folder: String) -> [Link] {
    known.withLock { known in
      if let links = known[ByteName(folder)] { return links }
      let links = Self.links(in: folder)
      known[ByteName(folder)] = links
      return links
    }
  }

  private static func links(in folder: String) -> [Link] {
    guard let handle = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(handle) }
    var links: [Link] = []
    while let entry = readdir(handle) {
      // Uses the bytes of names, because names may not be UTF-8.
      let found = withUnsafePointer(to: &entry.pointee.d_name) { text in
        text.withMemoryRebound(to: CChar.self, capacity: 256) { Self.link(folder, $0) }
      }
      if let found { links.append(found) }
    }
    return links
  }

  private static func link(_ folder: String, _ name: UnsafePointer<CChar>) -> Link? {
    let path =
      Array(folder.utf8CString.dropLast())
      + Array(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
    var facts = stat()
    guard lstat(path, &facts) == 0, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else {
      return nil
    }
    var link = Link(path: folder + String(cString: name))
    guard stat(path, &facts) == 0 else { return link }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR: link.kind = .folder
    case S_IFREG, S_IFBLK: link.kind = .file
    default: link.kind = .stream
    }
    if let buffer = realpath(path, nil) {
      link.target = String(validatingCString: buffer)
      free(buffer)
    }
    return link
  }
}
