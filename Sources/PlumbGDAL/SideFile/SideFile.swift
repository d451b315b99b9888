import CGDAL
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Checks of files and side files before GDAL opens them.
package enum SideFile {
  // MARK: Kinds

  // The values on POSIX systems are repeated here, because several modules define the constants and
  // their names are ambiguous.
  private static let kindMask: mode_t = 0o170000
  static let regularFile: mode_t = 0o100000
  private static let folder: mode_t = 0o040000
  private static let pipe: mode_t = 0o010000
  private static let device: mode_t = 0o020000
  private static let socket: mode_t = 0o140000

  /// The reason why GDAL cannot read a path. Opening a pipe, for example, would wait for a writer
  /// forever.
  static func streamFault(_ path: String) -> String? {
    switch kind(of: path) {
    case pipe?, device?, socket?:
      "\(path.printable) is a pipe or a device, not a file"
    default: nil
    }
  }

  /// The reason why a path is neither a regular file nor a folder.
  package static func kindFault(_ path: String, as text: String) -> String? {
    switch kind(of: path) {
    case nil, regularFile?, folder?: nil
    default: "\(text.printable) is a pipe or a device, not a file"
    }
  }

  static func kind(of path: String) -> mode_t? {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    return facts.st_mode & kindMask
  }

  // MARK: Side files

  /// The files in the same folder whose names equal the name of the file up to the first dot,
  /// without regard to case.
  ///
  /// GDAL finds world files, overviews, masks, CRS definitions and tables by these names.
  package static func list(besides path: String) -> [String] {
    let (folder, name) = (path.folderPrefix, path.lastPathWord)
    let stem = name.utf8.prefix { $0 != UInt8(ascii: ".") }.map(\.lowercasedASCII)
    guard !stem.isEmpty, let handle = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(handle) }
    var files: [String] = []
    while let entry = readdir(handle) {
      // Names are compared before a string is created. In a folder with a hundred thousand names,
      // most names differ in the first characters.
      let found = withUnsafePointer(to: &entry.pointee.d_name) { text in
        text.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes -> String? in
          guard starts(bytes, with: stem) else { return nil }
          return String(cString: bytes)
        }
      }
      guard let other = found, !other.hasSameBytes(as: name) else { continue }
      // A broken link is ignored.
      if kind(of: folder + other) != nil { files.append(folder + other) }
    }
    return files.sorted()
  }

  /// Whether a name begins with `stem` and a dot, without regard to ASCII case. GDAL compares names
  /// in the same way.
  private static func starts(_ name: UnsafePointer<UInt8>, with stem: [UInt8]) -> Bool {
    for (index, letter) in stem.enumerated() where name[index].lowercasedASCII != letter {
      return false
    }
    return name[stem.count] == UInt8(ascii: ".")
  }

  /// The reason why GDAL must not use a file as a side file; nil if GDAL may use it.
  package static func fault(of path: String) -> String? {
    if let fault = kindFault(path, as: path) { return fault }
    let lower = path.lowercasedASCII
    let isPicture = [".ovr", ".msk", ".rrd"].contains { lower.hasBytes(atEnd: $0) }
    guard isPicture, kind(of: path) == regularFile, !isPlainOverview(path) else { return nil }
    return "\(path.printable) is not a TIFF or an HFA file, and may refer to other files"
  }

  /// Whether the format of a file stores cells in the file itself and has no references to other
  /// files.
  static func isPlainOverview(_ path: String) -> Bool {
    guard streamFault(path) == nil, let file = fopen(path, "rb") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16)
    let start = bytes[..<fread(&bytes, 1, bytes.count, file)]
    let marks: [[UInt8]] = [
      [0x49, 0x49, 0x2A, 0], [0x49, 0x49, 0x2B, 0], [0x4D, 0x4D, 0, 0x2A], [0x4D, 0x4D, 0, 0x2B],
      Array("EHFA_HEADER_TAG".utf8),
    ]
    return marks.contains { start.starts(with: $0) }
  }

  // MARK: Archives

  /// The maximum unpacked size of an archive in bytes is the larger of this value and `growth`
  /// times the size of the archive.
  private static let minimumLimit: Int64 = 64 << 20
  private static let growth: Int64 = 32

  /// The reason why an archive (KMZ, XLSX, ODS, zipped Shapefiles) must not be unpacked; nil for
  /// other files.
  ///
  /// The sizes in an archive's directory may be wrong. Therefore, the entries of the archive are
  /// unpacked, without storing them, until the limit is exceeded.
  package static func archiveFault(_ path: String) -> String? {
    guard let facts = archiveSize(path) else { return nil }
    GDALLibrary.start()
    let stay = GDALAccess.document(drivers: nil).enter()
    defer { stay.leave() }
    let limit = max(minimumLimit, facts.multipliedReportingOverflow(by: growth).partialValue)
    let root = "/vsizip/{\(path)}"
    let list = VSIReadDirRecursive(root)
    defer { CSLDestroy(list) }
    let names = strings(list)
    guard names.count <= 1 << 16 else { return "\(path.printable) has more than 65,536 entries" }
    var total: Int64 = 0
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    for name in names where !name.hasSuffix("/") {
      guard let file = VSIFOpenL(root + "/" + name, "rb") else { continue }
      defer { VSIFCloseL(file) }
      while true {
        let count = VSIFReadL(&piece, 1, piece.count, file)
        if count == 0 { break }
        total += Int64(count)
        guard total <= limit else {
          return "\(path.printable) unpacks to more than \(limit >> 20) MB; unpack it by hand"
        }
      }
    }
    return nil
  }

  /// The size of a ZIP archive; nil for another file.
  private static func archiveSize(_ path: String) -> Int64? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & kindMask == regularFile,
      let file = fopen(path, "rb")
    else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4)
    guard fread(&bytes, 1, 4, file) == 4, bytes == [0x50, 0x4B, 3, 4] else { return nil }
    return Int64(facts.st_size)
  }
}
