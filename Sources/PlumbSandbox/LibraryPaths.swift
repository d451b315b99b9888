import CSandbox
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Paths that libraries read. The files at these paths contain no user data.
enum LibraryPaths {
  static var all: [String] { fixed + ofBundle + ofLoadedLibraries + inEnvironment + inHome }

  private static var ofBundle: [String] { ["lib", "share"].compactMap { ProgramBundle.path($0) } }

  private static let fixed = [
    "/usr", "/lib", "/lib64", "/lib32",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
    "/etc/locale.alias", "/etc/gdal", "/etc/proj", "/etc/odbc.ini", "/etc/odbcinst.ini",
    "/etc/alternatives", "/etc/ssl/openssl.cnf", "/etc/crypto-policies",
    "/dev/urandom", "/dev/random",
    // Information about processors and memory.
    "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/filesystems", "/proc/self/status",
    "/proc/self/statm", "/proc/self/maps", "/proc/self/cgroup", "/proc/self/mountinfo",
    "/proc/sys/vm", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
  ]

  /// The folders of loaded libraries outside `/lib` and `/usr`, with the `share` folders that
  /// contain the libraries' tables.
  private static var ofLoadedLibraries: [String] {
    let folders = loadedFolders.subtracting(["/lib", "/usr/lib"]).filter {
      !$0.hasPrefix("/usr/") && !$0.hasPrefix("/lib/")
    }
    return folders.flatMap { folder in
      var paths = [folder]
      let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
      if let lib = parts.lastIndex(where: { $0 == "lib" || $0 == "lib64" }), lib > 1 {
        let base = parts[..<lib].joined(separator: "/")
        paths += [base + "/" + parts[lib], base + "/share", base + "/etc"]
      }
      // In these stores, each library has a separate folder, with links to the folders of other
      // libraries.
      if let store = ["/nix/store", "/gnu/store"].first(where: { folder.hasPrefix($0 + "/") }) {
        paths.append(store)
      }
      return paths
    }
  }

  private static var loadedFolders: Set<String> {
    var folders: Set<String> = []
    withUnsafeMutablePointer(to: &folders) { folders in
      plumb_loaded_libraries(
        { path, context in
          guard let path, let context else { return }
          let text = String(cString: path)
          guard let slash = text.lastIndex(of: "/") else { return }
          context.assumingMemoryBound(to: Set<String>.self).pointee.insert(String(text[..<slash]))
        }, folders)
    }
    return folders.filter { !$0.isEmpty }
  }

  /// Paths in environment variables of libraries.
  private static var inEnvironment: [String] {
    let prefixes = ["PROJ_", "GDAL_", "OGR_", "CPL_", "LD_LIBRARY_PATH=", "LOCPATH=", "TZ="]
    var paths: [String] = []
    var next = environ
    while let entry = next.pointee {
      next += 1
      let text = String(cString: entry)
      guard prefixes.contains(where: { text.hasPrefix($0) }), let equals = text.firstIndex(of: "=")
      else { continue }
      paths += text[text.index(after: equals)...].split(separator: ":").filter { $0.hasPrefix("/") }
        .map(String.init)
    }
    return paths
  }

  private static var inHome: [String] {
    guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/") else {
      return []
    }
    let data = getenv("XDG_DATA_HOME").map { String(cString: $0) } ?? home + "/.local/share"
    return [home + "/.gdal", data + "/proj"]
  }
}
