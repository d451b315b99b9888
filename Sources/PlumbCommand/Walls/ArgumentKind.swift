#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What an argument that names data may lead to, judged by its words.
enum ArgumentKind {
  /// One file that says all it holds, with side files of its own name at most.
  case plainFile
  /// Something on this machine, which may refer to any file of it.
  case local
  /// Perhaps something on a network.
  case remote

  /// Formats of files whose data stand in them, or beside them under the same name.
  private static let plainEndings = [
    "csv", "tsv", "txt", "gz", "json", "geojson", "jsonl", "ndjson", "geojsonl", "geojsons", "inp",
    "nmea", "log", "gpx", "gpkg", "shp", "fgb", "kml", "kmz", "parquet",
  ]
  /// What GDAL puts before paths of local files.
  private static let localWords: Set<Substring> = [
    "file", "gpkg", "gtiff_dir", "gtiff_raw", "netcdf", "hdf4", "hdf4_sds", "hdf4_eos", "hdf5",
    "hdf5_image", "nitf_im", "zarr", "bag", "s102", "derived_subdataset", "sentinel2_l1b",
    "sentinel2_l1c", "sentinel2_l1c_tile", "sentinel2_l2a", "rpftoc", "nitf_toc_entry", "mbtiles",
    "jpegxl", "heif", "pds4", "rasterlite", "rasterlite2", "ilwis", "ctg", "icechart", "wkt_file",
  ]
  private static let localHandlers: Set<Substring> = [
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
    // Pipes are read as text.
    if facts.st_mode & S_IFMT != S_IFREG { return facts.st_mode & S_IFMT != S_IFDIR }
    let lower = path.lowercased()
    return plainEndings.contains { lower.hasSuffix("." + $0) }
  }

  private static func isRemote(_ argument: String) -> Bool {
    var text = argument.lowercased()[...]
    // `NAME=PATH` and `vrt://PATH` name what stands behind.
    if let equals = text.firstIndex(of: "="),
      !text[..<equals].contains(where: { "/:?".contains($0) })
    {
      text = text[text.index(after: equals)...]
    }
    if text.hasPrefix("vrt://") { text = text.dropFirst("vrt://".count) }
    if text.contains("://") && !text.hasPrefix("file://") { return true }
    // A description in the argument itself.
    if text.hasPrefix("<") || text.hasPrefix("{") { return true }
    for part in text.split(separator: "/vsi", omittingEmptySubsequences: false).dropFirst()
    where !localHandlers.contains(part.prefix { $0.isLetter || $0.isNumber }) {
      return true
    }
    guard let colon = text.firstIndex(of: ":") else { return false }
    let word = text[..<colon]
    // `FILE:LAYER` and the like.
    if word.isEmpty || word.contains(where: { "/.*?".contains($0) }) { return false }
    if exists(String(argument.prefix { $0 != ":" })) { return false }
    return !localWords.contains(word)
  }
}

/// Whether something is at a path.
func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
