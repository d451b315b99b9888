import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster
import PlumbTIFF

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Raster {
  /// Opens the raster given by an argument.
  ///
  /// If the argument is an existing path, the path is opened; a folder of tiles is opened as one
  /// mosaic. A URL (`https://…`) is read in parts, as with `/vsicurl/`. Otherwise, `NAME=PATH`
  /// assigns a name to the path after the first `=`. A pattern (`*`, `?`, `[…]`) opens the matching
  /// files as one mosaic. Any other argument is a GDAL dataset name (`NETCDF:…`, `/vsizip/…`).
  ///
  /// - Parameters:
  ///   - name: the raster's name; nil for the file's name without its extension.
  ///   - access: the access of the file; `anywhere` allows a local file to use a network and to contain any
  ///     SQL.
  /// - Throws: an error that names the file.
  public static func open(
    _ argument: String, name: String? = nil, access: DocumentAccess = .folder,
    workers: Workers = Workers()
  ) throws -> Raster {
    try open(argument, name: name, workers: workers) { _ in
      access.named
    }
  }

  /// - Parameters:
  ///   - neighbours: the names in the folders of the rasters that are opened together.
  ///   - documents: the files and hosts to which a STAC document may refer; nil if the caller does not read
  ///     dates. The items of a STAC document always have dates.
  ///   - access: called for each file before it is opened; throws to reject the file, or returns
  ///     the resources that GDAL may use for the file; nil for `GDALAccess.named(path)`.
  package static func open(
    _ argument: String, name: String?, workers: Workers,
    neighbours: FolderNames = FolderNames(), documents: DocumentAccess? = nil,
    access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> Raster {
    if let kind = FileKind(path: argument) {
      return try open(
        existing: argument, kind, name: name ?? stem(of: argument), workers, neighbours, access)
    }
    // The URL of a folder may also be the URL of a STAC catalog.
    let remote = RemotePath(ArraySelection(argument)?.path ?? argument)
    if remote.map({ isStore($0.name) }) ?? false,
      let store = try remoteStore(argument, name: name, access)
    {
      return store
    }
    if let selection = try STACSelection(argument, files: { try existingFiles($0) ?? [] }) {
      guard let documents else {
        throw PlumbError(
          "\(argument.printable): the items of a STAC document have dates, which are not read here",
          code: .unsupported)
      }
      return try open(selection, name: name ?? selection.asset, documents, workers)
    }
    if let selection = ArraySelection(argument),
      let paths = try existingFiles(selection.path), let first = paths.first
    {
      let title = name ?? selection.variable
      guard paths.count > 1 else {
        return try Raster(name: title, members: [variable(selection, of: first, access)])
      }
      let members = try workers.map(paths.count) { _, job in
        let source = try variable(selection, of: paths[job], access)
        source.profile.settle()
        return source
      }
      return try Raster(name: title, members: alike(members))
    }
    if let store = try remoteStore(argument, name: name, access) { return store }
    if let remote = RemotePath(argument) {
      return try Raster(
        name: name ?? stem(of: remote.name), members: [source(remote, access)])
    }
    // A folder's name may contain an equals sign, as in year=2024/*.tif.
    if name == nil, let equals = argument.firstIndex(of: "="),
      !argument[..<equals].contains("/")
    {
      let (name, path) = (String(argument[..<equals]), argument[argument.index(after: equals)...])
      guard !name.isEmpty, !path.isEmpty else {
        throw PlumbError("\(argument.printable): expected NAME=PATH")
      }
      return try open(
        String(path), name: name, workers: workers, neighbours: neighbours, documents: documents,
        access: access)
    }
    if argument.contains(where: { "*?[".contains($0) }) {
      let isInBucket = BucketName(argument) != nil
      let found = try isInBucket ? BucketFolder.files(matching: argument) : matches(of: argument)
      let paths = try found.filter { try !isSidecar($0) && (isInBucket || isTile($0)) }
      guard !paths.isEmpty else {
        throw PlumbError("no file matches \(argument.printable)", code: .notFound)
      }
      let neighbours = FolderNames(forMany: true)
      return try mosaic(name: name ?? patternName(argument), paths: paths, workers) {
        try source(path: $0, neighbours, access)
      }
    }
    if argument.contains(":") || argument.hasPrefix("/vsi") {
      return try Raster(
        name: name ?? stem(of: argument), members: [source(path: argument, FolderNames(), access)])
    }
    throw noSuchFile(argument)
  }

  /// Returns members with equal numbers of bands. If the numbers of bands differ, a file whose bands are
  /// dates is replaced by one member for each date.
  private static func alike(_ members: [any TileSource]) -> [any TileSource] {
    guard Set(members.map(\.profile.bands.count)).count > 1 else { return members }
    return members.flatMap { member -> [any TileSource] in
      let dates = member.profile.bands.compactMap(\.date)
      guard dates.count == member.profile.bands.count else { return [member] }
      return dates.indices.map {
        BandSelection(member, bands: [$0], dates: [dates[$0]], path: member.path)
      }
    }
  }

  /// The only variable of a Zarr store, if it has more than two dimensions; nil for other folders,
  /// and for a store whose variables are unknown.
  ///
  /// - Throws: if there are several variables.
  private static func onlyVariable(ofStore path: String) throws -> ArraySelection? {
    guard let store = try ZarrStore(folder: path) else { return nil }
    let names = try store.dataNames()
    guard let first = names.first, try names.contains(where: { try store.isStack($0) }) else {
      return nil
    }
    guard names.count == 1 else {
      throw PlumbError(
        "\(path.printable) has \(names.count) variables, "
          + names.map(\.printable).joined(separator: ", ") + ": name one, such as "
          + "\(path.printable)#\(first.printable)", code: .ambiguous)
    }
    return ArraySelection(path + "#" + first)
  }

  /// - Throws: for a Zarr store of version 1 or 3, which GDAL could not open, and for a store without metadata.
  private static func checkVersion(ofStore folder: String) throws {
    func has(_ name: String) -> Bool { FileKind(path: "\(folder)/\(name)") == .file }
    let version: Int? = has("zarr.json") ? 3 : has("meta") && has("attrs") ? 1 : nil
    if let version {
      throw PlumbError(
        "\(folder.printable) is a Zarr store of version \(version), which this version of GDAL does not read",
        code: .unsupported, remedies: ["write version 2, such as with zarr_format=2 in xarray"])
    }
    guard !has(".zmetadata"), !has(".zgroup"), !has(".zarray") else { return }
    if let array = folderEntries(folder).first(where: { has($0 + "/.zarray") }) {
      throw PlumbError(
        "\(folder.printable) is an incomplete Zarr store: it has the array \(array.printable), but neither "
          + ".zmetadata nor .zgroup", code: .unsupported)
    }
  }

  /// A variable of a Zarr store at a URL: `https://host/evi.zarr`, or `https://host/store#evi`. A name for GDAL,
  /// `ZARR:"/vsicurl/…":/evi`, is opened in the same way.
  ///
  /// - Returns: nil for other arguments.
  private static func remoteStore(
    _ argument: String, name: String?, _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> Raster? {
    let known = ArrayName(argument)
    let prefix = "/vsicurl/"
    var selection = ArraySelection(argument)
    if known.file != argument, known.file.hasBytes(atStart: prefix), let array = known.array {
      let variable = array.hasBytes(atStart: "/") ? String(array.dropFirst()) : array
      selection = ArraySelection(known.file.dropFirst(prefix.count) + "#" + variable)
    }
    guard let remote = RemotePath(selection?.path ?? argument),
      selection != nil || isStore(remote.name)
    else { return nil }
    let url = remote.url ?? remote.name
    let gdalPath = remote.bucket?.gdalPath ?? remote.path
    let settings = try access(remote.path)?.fetching ?? HTTPSettings(gdalPath: gdalPath)
    guard let store = try RemoteStore(url: url, settings: settings ?? HTTPSettings()) else {
      throw PlumbError(
        "\(url.printable) is not a Zarr store; variables of other files are read only from local files: "
          + "download it", code: .unsupported)
    }
    guard let chosen = try selection ?? ArraySelection("\(url)#\(store.onlyVariable())") else {
      return nil
    }
    let source = try store.source(chosen.variable)
    let details = source.general.details
    let bands = try chosen.bands(
      of: source.cells, details.axes, date: details.date, shown: "\(url)#\(chosen.label)")
    let title = selection == nil ? stem(of: remote.name) : chosen.variable
    return try Raster(name: name ?? title, members: [bands])
  }

  /// Whether the path of a URL ends like the path of a Zarr store.
  private static func isStore(_ name: String) -> Bool {
    let lower = name.lowercasedASCII
    return lower.hasBytes(atEnd: ".zarr") || lower.hasBytes(atEnd: ".zarr/")
  }

  /// The file of a path, or the files of a pattern; nil if none exists.
  private static func existingFiles(_ path: String) throws -> [String]? {
    if FileKind(path: path) != nil { return [path] }
    guard path.contains(where: { "*?[".contains($0) }) else { return nil }
    let paths = try matches(of: path).filter {
      try FileKind(path: $0) == .folder || isTile($0)
    }
    return paths.isEmpty ? nil : paths
  }

  /// The source of a variable of a file.
  private static func variable(
    _ selection: ArraySelection, of file: String,
    _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> any TileSource {
    for name in try ArraySelection.datasetNames(of: file, selection.variable) {
      do {
        let allowed = try access(name)
        let shown = "\(file)#\(selection.label)"
        let isStore = FileKind(path: file) == .folder
        // A store that a document names might contain links to other files.
        let trusted =
          isStore && allowed?.trust != .document ? try ZarrStore(folder: file) : nil
        if let trusted,
          let (cells, axes) = PlainStore.open(trusted, selection.variable, path: name, allowed)
        {
          return try selection.bands(of: cells, axes, shown: shown)
        }
        let source = try GDALRasterSource(path: name, access: allowed)
        let store = isStore ? try trusted ?? ZarrStore(folder: file) : nil
        try store?.checkCoordinates(of: selection.variable)
        let cells: (any TileSource)? =
          if let trusted {
            ZarrTileSource(
              trusted, variable: selection.variable, path: source.path, source.profile
            ) { source }
          } else {
            HDF5TileSource(source)
          }
        let (axes, date) = (source.details.axes, source.details.date)
        return try selection.bands(of: cells ?? source, axes, date: date, shown: shown)
      } catch let error as GDALError where error.code != .unsupported {
        continue
      }
    }
    try checkVersion(ofStore: file)
    if let store = try? ZarrStore(folder: file),
      let layout = try? store.metadata(selection.variable + "/.zarray")
    {
      throw PlumbError(
        "\(file.printable)#\(selection.variable.printable) cannot be read; it has "
          + ZarrArray.storage(layout), code: .unsupported)
    }
    let known: GDALRasterSource?
    do {
      known = try GDALRasterSource(path: file, access: access(file))
    } catch let error as GDALError where error.code == .ambiguous {
      throw PlumbError(
        "\(file.printable)#\(selection.variable.printable) cannot be read: \(error.message)",
        code: .notFound)
    } catch {
      known = nil
    }
    if let known, !known.details.messages.isEmpty {
      return try selection.messages(of: known, shown: "\(file)#\(selection.label)")
    }
    let names = known?.details.subdatasets.compactMap { ArrayName($0).array } ?? []
    guard !names.isEmpty, !names.contains(selection.variable) else {
      throw PlumbError(
        "\(file.printable) has no variable \(selection.variable.printable) that can be read; it may be "
          + "damaged, or not a NetCDF, HDF5 or Zarr file", code: .notFound)
    }
    throw PlumbError(
      "\(file.printable) has no variable \(selection.variable.printable); it has "
        + names.map(\.printable).joined(separator: ", "), code: .notFound)
  }

  private static func open(
    existing path: String, _ kind: FileKind, name: String, _ workers: Workers,
    _ neighbours: FolderNames, _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> Raster {
    if kind == .stream {
      throw PlumbError("\(path.printable) is a pipe or a device, not a file")
    }
    if kind == .folder, let variable = try onlyVariable(ofStore: path) {
      return try Raster(name: name, members: [Self.variable(variable, of: variable.path, access)])
    }
    let entries = kind == .folder ? folderEntries(path) : []
    guard kind == .folder, !isDataset(path, entries) else {
      do {
        return try Raster(name: name, members: [source(path: path, neighbours, access)])
      } catch {
        try checkVersion(ofStore: path)
        throw error
      }
    }
    try checkVersion(ofStore: path)
    let base = path.hasSuffix("/") ? path : path + "/"
    let index = FolderIndex(folder: path)
    let stamps = index == nil ? [:] : FolderIndex.stamps(of: entries, in: path)
    let paths = try entries.filter { !$0.hasPrefix(".") && !isSidecar($0) }
      .filter {
        try index?.tile($0, stamps: stamps) != nil
          || isTile(base + $0) && looksLikeRaster(base + $0)
      }
      .map { base + $0 }
    guard !paths.isEmpty else {
      throw PlumbError("\(path.printable) is a folder without raster tiles")
    }
    let names = FolderNames(forMany: true)
    return try mosaic(name: name, paths: sorted(paths), workers) { file in
      guard let tile = index?.tile(FolderIndex.name(of: file), stamps: stamps) else {
        return try source(path: file, names, access)
      }
      // Check access now, instead of when a cell is requested.
      let allowed = try access(file)
      return IndexedTileSource(path: file, tile, folder: base) {
        try source(path: file, names) { _ in allowed }
      }
    }
  }

  /// Writes an index of a folder of tiles into the folder. With the index, a tile is opened only
  /// when a point is on the tile.
  ///
  /// - Parameter folder: a folder of raster files. An existing index is replaced.
  /// - Returns: the path of the index.
  /// - Throws: when a tile cannot be opened, or the folder cannot be written.
  @discardableResult
  public static func writeIndex(
    ofFolder folder: String, access: DocumentAccess = .folder, workers: Workers = Workers()
  ) throws -> String {
    guard FileKind(path: folder) == .folder, !isDataset(folder, folderEntries(folder))
    else {
      throw PlumbError("\(folder.printable) is not a folder of raster tiles")
    }
    return try FolderIndex(
      of: open(folder, access: access, workers: workers).members, folder: folder
    )
    .write(to: folder)
  }

  /// Whether a folder is itself a dataset of one of GDAL's drivers, which recognize folders by the
  /// names of the files in them. A folder with only TIFF files and their side files is not a dataset;
  /// GDAL need not be loaded for it.
  private static func isDataset(_ folder: String, _ entries: [String]) -> Bool {
    let isPlain = entries.allSatisfy { name in
      [".tif", ".tiff", ".aux.xml", ".ovr"].contains { name.hasBytes(atEnd: $0) }
    }
    return !isPlain && GDALRasterSource.isRaster(path: folder)
  }

  /// Whether a listed path is a file.
  ///
  /// - Throws: if the path cannot be accessed, for example because its name is not UTF-8. If the
  ///   path were skipped, the mosaic would have a hole.
  private static func isTile(_ path: String) throws -> Bool {
    guard let kind = FileKind(path: path) else {
      throw PlumbError(
        "\(path.printable) cannot be accessed: check that its name is UTF-8 and that its link is "
          + "not broken")
    }
    return kind == .file
  }

  /// Whether a file has the extension of a raster format. Such a file has to be a raster: a tile that cannot
  /// be opened is an error, not a hole in the mosaic.
  private static func looksLikeRaster(_ path: String) -> Bool {
    let lower = path.lowercased()
    return [".tif", ".tiff", ".vrt", ".img", ".hgt", ".jp2"].contains { lower.hasSuffix($0) }
      || GDALRasterSource.isRaster(path: path)
  }

  private static func isSidecar(_ path: String) -> Bool {
    let lower = path.lowercased()
    return [".aux.xml", ".ovr", ".msk", ".tfw", ".dbf", ".xml"].contains { lower.hasSuffix($0) }
  }

  /// Opens the files of a mosaic on all workers.
  private static func mosaic(
    name: String, paths: [String], _ workers: Workers,
    _ source: @Sendable (String) throws -> any TileSource
  ) throws -> Raster {
    let members = try workers.map(paths.count) { _, job in
      let source = try source(paths[job])
      source.profile.settle()
      return source
    }
    return try Raster(name: name, members: members)
  }

  /// Returns the source for a path. libtiff reads files with a plain layout; GDAL reads all other
  /// files.
  ///
  /// - Parameter neighbours: the names in the folders of the files that are opened together.
  static func source(
    path: String, _ neighbours: FolderNames,
    _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> any TileSource {
    let allowed = try access(path)
    if let plain = PlainRaster.open(path, allowed, neighbours) { return plain }
    let general = try GDALRasterSource(path: path, access: allowed)
    if let composite = composite(general, access) { return composite }
    if let chunked = HDF5TileSource(general) { return chunked }
    guard general.details.driver == "GTiff", general.isRemote || FileKind(path: path) == .file,
      let fast = TIFFTileSource(
        path: general.path, other: general, largestTile: GDALRasterSource.largestTile,
        remote: general.remoteFile)
    else { return general }
    return fast
  }

  /// Returns the source for a VRT that consists of windows of other rasters; nil for any other
  /// raster. The source reads the other rasters directly.
  private static func composite(
    _ general: GDALRasterSource, _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) -> (any TileSource)? {
    let path = general.path
    guard general.details.driver == "VRT", FileKind(path: path) == .file,
      let mosaic = VirtualMosaic(path: path, profile: general.profile)
    else { return nil }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let paths = mosaic.sources.map { $0.isRelative ? folder + $0.path : $0.path }
    return CompositeTileSource(whole: general, parts: mosaic.parts, tile: mosaic.tile) { number in
      // GDAL reads a VRT in a VRT, because the references may be circular.
      let general = try GDALRasterSource(path: paths[number], access: try access(paths[number]))
      guard general.details.driver == "GTiff",
        let fast = TIFFTileSource(
          path: paths[number], other: general, largestTile: GDALRasterSource.largestTile)
      else { return general }
      return fast
    }
  }

  /// Returns the source for a remote file. The file is read in parts, or as a whole if the server
  /// does not support parts.
  static func source(
    _ remote: RemotePath, _ access: @escaping @Sendable (String) throws -> GDALAccess?
  ) throws -> any TileSource {
    do {
      return try source(path: remote.path, FolderNames(), access)
    } catch let error as GDALError {
      guard !error.isNetworkFault, !error.isRefusal, let url = remote.url,
        let single = try? GDALRasterSource(path: url, access: try access(url))
      else { throw error }
      return single
    }
  }

  private static func stem(of path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    if path == "." || path == ".." { return workingFolderName(path == "..") }
    let file = path.split(separator: "/").last ?? path
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return String(file) }
    return String(file[..<dot])
  }

  private static func workingFolderName(_ isParent: Bool) -> String {
    guard let buffer = realpath(isParent ? ".." : ".", nil) else { return "raster" }
    defer { free(buffer) }
    return String(cString: buffer).split(separator: "/").last.map(String.init) ?? "raster"
  }

  /// Returns the name for a pattern: the part before its first wildcard or, if this part is empty,
  /// the folder's name.
  private static func patternName(_ pattern: String) -> String {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: true)
    let file = parts.last ?? ""
    let literal = file.prefix { !"*?[".contains($0) }
    let trimmed = String(
      literal.reversed().drop { "_-. ".contains($0) }.reversed())
    if !trimmed.isEmpty { return trimmed }
    let folder = parts.dropLast().last { !$0.contains { "*?[".contains($0) } && $0 != "." }
    return folder.map(String.init) ?? workingFolderName(false)
  }

  private static func matches(of pattern: String) -> [String] {
    var list = glob_t()
    defer { globfree(&list) }
    guard glob(pattern, 0, nil, &list) == 0 else { return [] }
    let paths = (0..<Int(list.gl_pathc)).compactMap { index in
      list.gl_pathv[index].map { String(cString: $0) }
    }
    return sorted(paths)
  }

  private static func sorted(_ paths: [String]) -> [String] {
    paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension Array where Element == Raster {
  /// Opens all arguments and rejects two rasters with the same name.
  ///
  /// - Parameter names: for each argument, the name to use; nil for the default name. Arguments after the end
  ///   of the list have the default name.
  public static func open(
    _ arguments: [String], names: [String?] = [], access: DocumentAccess = .folder,
    workers: Workers = Workers()
  ) throws -> [Raster] {
    try open(arguments, names: names, access: access, workers: workers, readsDates: false)
  }

  /// - Parameter readsDates: whether the caller reads the dates of rasters, so that arguments may be assets of
  ///   STAC documents: `items.json#ASSET`.
  package static func open(
    _ arguments: [String], names: [String?] = [], access: DocumentAccess, workers: Workers,
    readsDates: Bool
  ) throws -> [Raster] {
    let neighbours = FolderNames(forMany: arguments.count > 1)
    let isRemote = arguments.contains { NetworkName.leadsToNetwork($0) }
    let openers = isRemote ? RemoteRasters.openers(workers) : workers
    let opened = try openers.map(arguments.count) { _, job in
      let raster = try Raster.open(
        arguments[job], name: job < names.count ? names[job] : nil, workers: workers,
        neighbours: neighbours, documents: readsDates ? access : nil
      ) { _ in access.named }
      if arguments.count > 1 {
        for member in raster.members { member.profile.settle() }
      }
      return raster
    }
    var usedNames: Set<String> = []
    for raster in opened where !usedNames.insert(raster.name).inserted {
      throw PlumbError(
        "two rasters are called \(raster.name.printable); name one with NAME=PATH")
    }
    return opened
  }
}
