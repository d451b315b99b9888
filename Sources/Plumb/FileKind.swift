#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a path is.
enum FileKind {
  case file
  case folder

  init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self = facts.st_mode & S_IFMT == S_IFDIR ? .folder : .file
  }
}

/// The names in a folder, in no order, with `.` and `..`; none when it cannot be read.
func folderEntries(_ folder: String) -> [String] {
  guard let handle = opendir(folder) else { return [] }
  defer { closedir(handle) }
  var names: [String] = []
  while let entry = readdir(handle) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  return names
}
