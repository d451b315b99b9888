#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a helper process is asked.
enum HelperRequest: UInt8 {
  /// The walls, before anything else.
  case setUp
  case openLayer, restart, features, points
  case openRaster, window, transform, geolocationPoints
  case listing, driver, files, layerNames, isVectorOnly, isRaster
  case close

  /// The request with the seconds that it may take; its parts follow.
  func packer(seconds: Double) -> Packer {
    var packer = Packer()
    packer.putRaw(rawValue)
    packer.put(seconds)
    return packer
  }

  /// Bytes that this process and a helper share: the largest tile's.
  static let memorySize = 256 << 20
  /// Changes with what requests and answers are made of: the program may be another version's.
  static let version = 1
}

/// What one helper process may reach: sources with the same are read by one.
struct HelperScope: Sendable, Hashable, Packed {
  /// The only folder that is read; nil for all.
  var folder: String?
  var allowsNetwork: Bool
  /// Where relative paths start.
  var workingFolder: String
  /// GDAL's own settings that the program changes while it runs, `NAME=VALUE` each.
  var settings: [String]

  init(_ access: GDALAccess, settings: [String]) {
    folder = access.trust == .document ? access.folder : nil
    allowsNetwork = access.trust == .full && access.allowsNetwork
    workingFolder = Self.currentFolder
    self.settings = settings
  }

  func pack(into packer: inout Packer) {
    packer.put(folder)
    packer.put(allowsNetwork)
    packer.put(workingFolder)
    packer.put(settings)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    (folder, allowsNetwork) = (try unpacker.take(), try unpacker.take())
    (workingFolder, settings) = (try unpacker.take(), try unpacker.take())
  }

  private static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}

/// An answer: warnings, and what was asked for or why there is none.
struct HelperAnswer {
  var warnings: [String]
  var outcome: Result<Unpacker, GDALError>

  init(_ bytes: [UInt8]) throws(GDALError) {
    var unpacker = Unpacker(bytes)
    let isFault = try unpacker.take(Bool.self)
    warnings = try unpacker.take()
    outcome = isFault ? .failure(try unpacker.take()) : .success(unpacker)
  }

  /// An answer's bytes up to what was asked for.
  static func packer(warnings: [String], fault: GDALError?) -> Packer {
    var packer = Packer()
    packer.put(fault != nil)
    packer.put(warnings)
    if let fault { packer.put(fault) }
    return packer
  }
}
