import PlumbCore
import PlumbIO

/// The files of a Zarr store.
package enum ZarrFiles: Sendable {
  case folder(String)
  case remote(RemoteStoreFiles)

  /// The content of a metadata file; nil if it does not exist. It is requested from a server only
  /// once.
  ///
  /// - Throws: if the file cannot be read, or is larger than the limit.
  package func bytes(of name: String, limit: Int) throws -> [UInt8]? {
    switch self {
    case .folder(let folder):
      let path = "\(folder)/\(name)"
      guard FileKind(path: path) == .file else { return nil }
      guard let bytes = try SmallFile.bytes(of: path, limit: limit) else {
        throw PlumbError("\(path.printable) is larger than \(limit >> 20) MiB")
      }
      return bytes
    case .remote(let files): return try files.kept(name, limit: limit)
    }
  }

  /// The path of a file in messages.
  package func shown(_ name: String) -> String {
    switch self {
    case .folder(let folder): "\(folder)/\(name)"
    case .remote(let files): "\(files.url)/\(name)"
    }
  }
}

/// The metadata of a Zarr store of version 2.
///
/// If the store has consolidated metadata (`.zmetadata`), only these are read, as in GDAL and
/// xarray. They are replaced as a whole, so the metadata of all arrays are consistent.
package struct ZarrStore: Sendable {
  /// The folder or the URL of the store.
  package let folder: String
  package let files: ZarrFiles
  /// The consolidated metadata by file name; nil if there are none.
  private let members: [String: JSONTree]?
  /// Whether all chunks of the arrays were written, so that a missing chunk means lost data. Only
  /// consolidated metadata that Plumb wrote contain this information. It is lost when another program
  /// changes the store, because the program replaces the metadata.
  package let isComplete: Bool

  /// The code of the CRS of all variables, such as `EPSG:32734`; nil if the code is unknown. It is known only
  /// if Plumb wrote the consolidated metadata and no other program has changed them.
  package let reference: String?

  /// The name of the file of the consolidated metadata.
  package static let metadataName = ".zmetadata"
  /// The member of the consolidated metadata, beside `metadata`, that is true if all chunks were
  /// written.
  package static let completeName = "plumb_all_chunks_exist"
  /// The members of the consolidated metadata that contain the code of the CRS and the checksum.
  package static let (referenceName, checksumName) = ("plumb_crs", "plumb_checksum")
  /// The maximum size of a metadata file.
  private static let limit = 64 << 20

  /// - Returns: nil for a folder that is not a store of version 2.
  /// - Throws: if the metadata cannot be read.
  package init?(folder: String) throws {
    let path = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    try self.init(folder: path, .folder(path))
  }

  /// - Returns: nil for a URL that does not refer to a store of version 2.
  /// - Throws: if the metadata cannot be read.
  package init?(_ files: RemoteStoreFiles) throws {
    try self.init(folder: files.url, .remote(files))
  }

  private init?(folder: String, _ files: ZarrFiles) throws {
    (self.folder, self.files) = (folder, files)
    if let tree = try Self.tree(files, Self.metadataName) {
      guard case .object(let root) = tree, case .object(let members)? = root["metadata"] else {
        throw PlumbError(
          "\(files.shown(Self.metadataName).printable) does not contain the metadata of a store")
      }
      self.members = members
      isComplete = root[Self.completeName] == .boolean(true)
      if case .text(let code)? = root[Self.referenceName],
        root[Self.checksumName] == .integer(Int64(Self.checksum(.object(members), code)))
      {
        reference = code
      } else {
        reference = nil
      }
    } else {
      guard try files.bytes(of: ".zgroup", limit: Self.limit) != nil else { return nil }
      (members, isComplete, reference) = (nil, false, nil)
    }
  }

  /// The checksum by which a change of the consolidated metadata is recognized.
  ///
  /// - Parameters:
  ///   - members: the consolidated metadata.
  ///   - code: the code of the CRS.
  package static func checksum(_ members: JSONTree, _ code: String) -> Int {
    Int(ZlibPacking.checksum((members.bytes + Array(code.utf8))[...]))
  }

  private static func tree(_ files: ZarrFiles, _ name: String) throws -> JSONTree? {
    guard let bytes = try files.bytes(of: name, limit: limit) else { return nil }
    do {
      return try bytes.withUnsafeBytes {
        try JSONTree($0, memory: 8 * limit, allowsNonFinite: true)
      }
    } catch {
      throw PlumbError(MessageTemplate(files.shown(name).printable), error)
    }
  }

  /// The content of a metadata file, such as `evi/.zarray`; nil if the file does not exist.
  package func metadata(_ name: String) throws -> JSONTree? {
    if let members { return members[name] }
    return try Self.tree(files, name)
  }

  /// The content of each metadata file in the consolidated metadata.
  package var consolidated: [String: JSONTree]? { members }

  /// The attributes of an array; empty if the array has none.
  package func attributes(_ array: String) throws -> [String: JSONTree] {
    guard case .object(let attributes)? = try metadata(array + "/.zattrs") else { return [:] }
    return attributes
  }

  /// The layout of an array; nil if there is no such array, or if Plumb does not decode it itself.
  package func array(_ name: String) throws -> ZarrArray? {
    var array = try metadata(name + "/.zarray").flatMap { ZarrArray($0) }
    array?.isComplete = isComplete
    return array
  }

  /// The names of the dimensions of an array; nil if they are unknown.
  package func dimensions(_ array: String) throws -> [String]? {
    guard let list = try attributes(array)["_ARRAY_DIMENSIONS"]?.elements else { return nil }
    var names: [String] = []
    for element in list {
      guard case .text(let name) = element else { return nil }
      names.append(name)
    }
    return names
  }

  /// The names of all arrays in the root group, in alphabetical order; empty for a URL without consolidated
  /// metadata, because its arrays cannot be listed.
  package var arrayNames: [String] {
    let ending = "/.zarray"
    if let members {
      return members.keys.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }
        .filter { !$0.contains("/") }.sorted()
    }
    guard case .folder = files else { return [] }
    return folderEntries(folder).filter { FileKind(path: "\(folder)/\($0)\(ending)") == .file }
      .sorted()
  }

  /// Whether an array has more than two dimensions.
  package func isStack(_ array: String) throws -> Bool {
    try dimensions(array).map { $0.count > 2 } ?? false
  }

  /// The arrays with two or more dimensions whose last two dimensions have coordinates.
  package func dataNames() throws -> [String] {
    let names = arrayNames
    return try names.filter { name in
      guard let dimensions = try dimensions(name), dimensions.count >= 2 else { return false }
      return dimensions.suffix(2).allSatisfy { $0 != name && names.contains($0) }
    }
  }
}

// MARK: - Coordinates

extension ZarrStore {
  /// The maximum number of chunks of one array of coordinates, and the maximum number of such
  /// arrays of a variable.
  package static let (chunkLimit, arrayLimit) = (20_000, 64)

  /// The names of the arrays to which the metadata of a variable refer: its coordinates with their
  /// bounds, and its grid mapping.
  package func coordinateNames(of variable: String) throws -> [String] {
    var names = [variable]
    var next = 0
    while next < names.count {
      let attributes = try attributes(names[next])
      var found = try dimensions(names[next]) ?? []
      for key in ["coordinates", "grid_mapping", "bounds"] {
        guard case .text(let text)? = attributes[key] else { continue }
        found += text.utf8.split(separator: UInt8(ascii: " ")).prefix(Self.arrayLimit).map {
          String(decoding: $0, as: UTF8.self)
        }
      }
      for name in found.prefix(4 * Self.arrayLimit)
      where names.count < Self.arrayLimit && !names.contains(name) && !name.contains("/")
        && !name.hasPrefix(".") && !name.isEmpty
      {
        names.append(name)
      }
      next += 1
    }
    return Array(names.dropFirst())
  }

  /// Checks that all chunks of the coordinates of a variable in a folder exist.
  ///
  /// For missing chunks, GDAL would return zeros or fill values, and dates and positions would be
  /// wrong.
  package func checkCoordinates(of variable: String) throws {
    guard case .folder(let folder) = files else { return }
    for name in try coordinateNames(of: variable) {
      guard let layout = try metadata(name + "/.zarray"),
        let chunks = ZarrArray.chunkNames(layout, limit: Self.chunkLimit)
      else { continue }
      for (index, chunk) in chunks.enumerated()
      where FileKind(path: "\(folder)/\(name)/\(chunk)") == nil {
        try checkMissing(chunk: index, called: "\(name)/\(chunk)", of: name)
      }
    }
  }

  /// Checks whether a chunk of an array of coordinates may be missing.
  ///
  /// - Throws: if the chunk must not be missing. This is the case if the store is complete, if the
  ///   array has several values but no fill value, or if the chunk contains several values of a
  ///   coordinate variable, because these values must differ from each other.
  package func checkMissing(chunk: Int, called path: String, of name: String) throws {
    guard let layout = try metadata(name + "/.zarray"),
      // The value of a grid mapping has no meaning.
      try attributes(name)["grid_mapping_name"] == nil
    else { return }
    let isAxis = try dimensions(name) == [name]
    let areDifferent = isAxis && ZarrArray.valueCount(layout, chunk: chunk).map { $0 > 1 } ?? false
    if !isComplete, ZarrArray.isSingle(layout) || ZarrArray.hasFill(layout) && !areDifferent {
      return
    }
    throw PlumbError("\(folder.printable): the chunk \(path.printable) of coordinates is missing")
  }
}
