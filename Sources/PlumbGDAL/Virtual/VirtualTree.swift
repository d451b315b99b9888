import CGDAL
import PlumbCore
import PlumbIO
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Computes the cost of a VRT: the number of files that GDAL opens or reads for one cell, including
/// the files of nested VRTs. Each level multiplies the cost of the level below. No VRT may have
/// parts that GDAL ignores silently (see `VirtualSupport`).
///
/// The cost is computed from the files before GDAL opens any of them, because GDAL opens all levels
/// in one call.
package struct VirtualTree {
  /// The maximum nesting depth of virtual sources.
  static let depthLimit = 16
  /// The maximum number of files that may be opened or read for one cell is this value plus
  /// `growth` times the number of listed sources.
  private static let minimumLimit = 1 << 14
  private static let growth = 8
  /// The maximum number of files of one VRT that are examined although their names do not end with
  /// `.vrt`.
  private static let lookLimit = 4096
  private static let sizeLimit = 1 << 30

  private struct Fault: Error { var text: String }

  /// The cost of each file. The key consists of the path with links resolved and the folder to
  /// which the file's relative paths are relative.
  private var known: [ByteName: Int] = [:]
  /// The files that are being examined.
  private var open: Set<ByteName> = []
  /// The number of sources in all files.
  private var listed = 0

  /// The reason why a VRT must not be opened; nil if it may be opened, or if the file is not a VRT.
  package static func fault(of path: String) -> String? {
    if path.hasBytes(atStart: "/vsi") { return archiveFault(of: path) }
    guard isVirtual(file: path), let stamp = Stamp(path) else { return nil }
    if let known = recent.withLock({ $0[stamp] }) { return known.text }
    var tree = VirtualTree()
    var text: String?
    do throws(Fault) {
      _ = try tree.cost(ofFile: path, depth: 0)
    } catch {
      text = error.text
    }
    let verdict = Verdict(text: text)
    recent.withLock { recent in
      if recent.count >= 64 { recent = [:] }
      recent[stamp] = verdict
    }
    return text
  }

  /// A clause that names the part of a VRT in an archive that GDAL would ignore silently; nil if there is no
  /// such part.
  private static func archiveFault(of path: String) -> String? {
    guard path.lowercasedASCII.hasBytes(atEnd: ".vrt"), !NetworkName.leadsToNetwork(path),
      let root = CPLParseXMLFile(path)
    else { return nil }
    defer { CPLDestroyXMLNode(root) }
    var grammar = VirtualGrammar(isStrict: false)
    return grammar.read(root).map { "\(path.printable) \($0)" }
  }

  // MARK: Results of earlier checks

  private struct Verdict { var text: String? }

  private struct Stamp: Hashable {
    var path: ByteName
    var file: FileStamp

    init?(_ path: String) {
      guard let file = FileStamp(path: path) else { return nil }
      (self.path, self.file) = (ByteName(path), file)
    }
  }

  /// The results of recent checks. Each worker opens its own raster, so a VRT is checked several
  /// times.
  private static let recent = Mutex<[Stamp: Verdict]>([:])

  // MARK: Costs

  private mutating func cost(ofFile path: String, depth: Int) throws(Fault) -> Int {
    let real = Self.resolved(path) ?? path
    let key = ByteName(real + "\0" + (Self.resolved(path.folderPrefix) ?? ""))
    if let cost = known[key] { return cost }
    guard open.insert(key).inserted else {
      throw Fault(text: "\(path.printable) is a virtual source that refers to itself")
    }
    defer { open.remove(key) }
    guard depth < Self.depthLimit else {
      throw Fault(text: "\(path.printable) nests virtual sources too deeply")
    }
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw Fault(text: "\(path.printable) cannot be read") }
    guard facts.st_size <= Self.sizeLimit else {
      throw Fault(text: "\(path.printable) is too large for a list of sources")
    }
    CPLErrorReset()
    // GDAL reports the error itself.
    guard let root = CPLParseXMLFile(path) else { return 1 }
    defer { CPLDestroyXMLNode(root) }
    let folders = Set([path, real].map { ByteName($0.folderPrefix) }).map(\.text)
    let cost = try cost(of: root, in: path, folders, depth)
    known[key] = cost
    return cost
  }

  /// Returns the cost of the sources of one file. GDAL opens each source name once per file. For a cell
  /// of a band, GDAL reads a source once for each time that the band lists the source.
  private mutating func cost(
    of root: UnsafeMutablePointer<CPLXMLNode>, in path: String, _ folders: [String], _ depth: Int
  ) throws(Fault) -> Int {
    var grammar = VirtualGrammar(isStrict: false)
    if let fault = grammar.read(root) { throw Fault(text: "\(path.printable) \(fault)") }
    var counts: [ByteName: [Int: Int]] = [:]
    var first: [ByteName: VirtualSource] = [:]
    for source in grammar.sources {
      let name = ByteName(source.text)
      counts[name, default: [:]][source.band, default: 0] += 1
      first[name] = source
    }
    listed += grammar.sources.count
    let limit = Self.minimumLimit + Self.growth * listed
    var total = 0
    var looks = 0
    for (name, source) in first {
      let times = counts[name]?.values.max() ?? 1
      let hasExtension = name.text.lowercasedASCII.hasBytes(atEnd: ".vrt")
      looks += 1
      var each = 1
      if hasExtension || looks <= Self.lookLimit || Self.isInline(name.text) {
        each = try cost(of: source, folders, depth)
      }
      let (product, isHuge) = each.multipliedReportingOverflow(by: times)
      total = isHuge ? .max : total &+ min(product, .max - total)
      guard total <= limit else {
        throw Fault(
          text: "\(path.printable) has nested virtual sources that open more than "
            + "\(limit) files for one cell")
      }
    }
    return max(1, total)
  }

  private mutating func cost(
    of source: VirtualSource, _ folders: [String], _ depth: Int
  ) throws(Fault) -> Int {
    if Self.isInline(source.text) {
      guard depth + 1 < Self.depthLimit else {
        throw Fault(text: "a virtual source nests others too deeply")
      }
      CPLErrorReset()
      guard let root = CPLParseXMLString(source.text) else { return 1 }
      defer { CPLDestroyXMLNode(root) }
      return try cost(of: root, in: "a nested virtual source", folders, depth + 1)
    }
    guard !source.isRaw, !NetworkName.leadsToNetwork(source.text) else { return 1 }
    var maximum = 1
    for path in source.paths(from: folders) where Self.isVirtual(file: path) {
      maximum = max(maximum, try cost(ofFile: path, depth: depth + 1))
    }
    return maximum
  }

  // MARK: Kinds

  private static let marks = ["<VRTDataset", "<OGRVRTDataSource"]

  private static func isInline(_ text: String) -> Bool {
    text.hasByte(UInt8(ascii: "<")) && marks.contains { text.hasBytes(of: $0) }
  }

  /// Whether GDAL recognizes a file as a VRT, which is the case if its first bytes contain one of
  /// `marks`.
  static func isVirtual(file path: String) -> Bool {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & 0o170000 == 0o100000,
      let file = fopen(path, "rb")
    else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 10)
    var count = fread(&bytes, 1, bytes.count, file)
    // GDAL searches only up to a zero byte, which most binary files have.
    if let end = bytes[..<count].firstIndex(of: 0) {
      count = end
    } else if count == bytes.count {
      // An earlier driver may have caused GDAL to read more than the first kilobyte.
      bytes += [UInt8](repeating: 0, count: 1 << 16)
      count += bytes.withUnsafeMutableBytes { fread($0.baseAddress! + count, 1, 1 << 16, file) }
    }
    let start = bytes[..<count]
    return marks.contains { mark in
      let mark = Array(mark.utf8)
      return start.indices.contains { start[$0] == mark[0] && start[$0...].starts(with: mark) }
    }
  }

  private static func resolved(_ path: String) -> String? {
    guard let buffer = realpath(path.isEmpty ? "." : path, nil) else { return nil }
    defer { free(buffer) }
    return String(validatingCString: buffer)
  }
}
