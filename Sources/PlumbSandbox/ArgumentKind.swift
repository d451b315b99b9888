import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The kind of an argument that names data, as determined from the argument's string and the file
/// at its path.
enum ArgumentKind {
  /// A self-contained file, possibly with side files of the same name.
  case plainFile
  /// Local data, which may refer to any file on this machine.
  case local
  /// Data that may be on a network.
  case remote

  /// File extensions of formats that store their data in one file and in side files of the same
  /// name.
  private static let plainEndings = [
    "csv", "tsv", "txt", "gz", "json", "geojson", "jsonl", "ndjson", "geojsonl", "geojsons", "inp",
    "nmea", "log", "gpx", "gpkg", "shp", "fgb", "kml", "kmz", "parquet",
    "arrow", "arrows", "feather", "ipc",
  ]
  /// GDAL's prefixes of paths of local files.
  private static let localWords: Set<String> = [
    "file", "gpkg", "gtiff_dir", "gtiff_raw", "netcdf", "hdf4", "hdf4_sds", "hdf4_eos", "hdf5",
    "hdf5_image", "nitf_im", "zarr", "bag", "s102", "derived_subdataset", "sentinel2_l1b",
    "sentinel2_l1c", "sentinel2_l1c_tile", "sentinel2_l2a", "rpftoc", "nitf_toc_entry", "mbtiles",
    "jpegxl", "heif", "pds4", "rasterlite", "rasterlite2", "ilwis", "ctg", "icechart", "wkt_file",
  ]
  private static let localHandlers: Set<String> = [
    "zip", "gzip", "tar", "7z", "rar", "mem", "subfile", "sparse", "cached", "stdin", "crypt",
  ]

  init(_ argument: String) {
    if argument == "-" || exists(argument) {
      self = Self.isPlain(argument) ? .plainFile : .local
    } else {
      self = Self.isRemote(argument) ? .remote : .local
    }
  }

  private static func isPlain(_ path: String) -> Bool {
    if path == "-" { return true }
    var facts = stat()
    guard stat(path, &facts) == 0 else { return false }
    // Pipes and devices are read as text and therefore count as plain files.
    if facts.st_mode & S_IFMT != S_IFREG { return facts.st_mode & S_IFMT != S_IFDIR }
    let lower = path.lowercasedASCII
    return plainEndings.contains { lower.hasBytes(atEnd: "." + $0) }
  }

  private static func isRemote(_ argument: String) -> Bool {
    var text = argument.lowercasedASCII.utf8[...]
    // In `NAME=PATH` and `vrt://PATH`, only `PATH` names data.
    if let equals = text.firstIndex(of: UInt8(ascii: "=")),
      !text[..<equals].contains(where: { "/:?".utf8.contains($0) })
    {
      text = text[equals...].dropFirst()
    }
    if text.starts(with: "vrt://".utf8) { text = text.dropFirst("vrt://".utf8.count) }
    let word = Substring(text)
    if word.hasBytes(of: "://") && !word.hasBytes(atStart: "file://") { return true }
    // The argument itself is a description of data, in XML or JSON.
    if let first = text.first(where: { $0 > 0x20 }), "<{".utf8.contains(first) { return true }
    if handlers(in: Array(text)).contains(where: { !localHandlers.contains($0) }) { return true }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let driver = text[..<colon]
    // An argument such as `FILE:LAYER`.
    if driver.isEmpty || driver.contains(where: { "/.*?".utf8.contains($0) }) { return false }
    let file = argument.utf8.prefix { $0 != UInt8(ascii: ":") }
    if exists(String(decoding: file, as: UTF8.self)) { return false }
    return !localWords.contains(String(decoding: driver, as: UTF8.self))
  }

  /// Returns the names of GDAL's virtual file systems in `text`, such as `curl` for `/vsicurl`.
  private static func handlers(in text: [UInt8]) -> [String] {
    let mark = Array("/vsi".utf8)
    return text.indices.filter { text[$0...].starts(with: mark) }.map { start in
      String(
        decoding: text[(start + mark.count)...].prefix { $0.isAlphanumericASCII }, as: UTF8.self)
    }
  }
}

/// Whether a path exists.
package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
