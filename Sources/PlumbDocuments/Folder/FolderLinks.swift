import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is neither a file nor a folder in folders, each folder read once: symbolic links, pipes.
package final class FolderLinks: Sendable {
  private let known = Mutex<[String: [String]]>([:])

  /// Those that are opened along with a path: beside a file those that its name begins
  /// (`a.tif.ovr`, `a.prf`, `a.aux.xml`), in a folder those to files.
  package func belonging(to path: String) -> [String] {
    switch FileKind(path: path) {
    case .folder:
      let folder = path.hasSuffix("/") ? path : path + "/"
      return names(in: folder).map { folder + $0 }.filter { FileKind(path: $0) != .folder }
    case .file:
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { String(path[...$0]) } ?? "./"
      let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
      let stem = name.lastIndex(of: ".").map { name[...$0] } ?? name
      return names(in: folder).filter { $0 != name && ($0.hasPrefix(stem) || $0.hasPrefix(name)) }
        .map { (slash == nil ? "" : folder) + $0 }
    default: return []
    }
  }

  private func names(in folder: String) -> [String] {
    known.withLock { known in
      if let names = known[folder] { return names }
      let names = folderEntries(folder).filter { name in
        var facts = stat()
        return lstat(folder + name, &facts) == 0
          && ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT)
      }
      known[folder] = names
      return names
    }
  }
}
