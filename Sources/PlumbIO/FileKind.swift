#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The kind of file at a path.
package enum FileKind {
  case file
  case folder
  /// A pipe, a terminal or another device, which cannot be read twice.
  case stream

  package init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR: self = .folder
    case S_IFREG, S_IFBLK: self = .file
    default: self = .stream
    }
  }
}

/// The names in a folder in any order, without `.` and `..`; empty if the folder cannot be read.
package func folderEntries(_ folder: String) -> [String] {
  guard let handle = opendir(folder) else { return [] }
  defer { closedir(handle) }
  var names: [String] = []
  while let entry = readdir(handle) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}
