import PlumbIO

/// The kinds of requests to a helper process.
enum HelperRequest: UInt8 {
  /// Applies the sandbox. This is the first request.
  case setUp
  case openLayer, restart, features, points
  case openRaster, window, transform, geolocationPoints
  case listing, driver, files, layerNames, isVectorOnly, isRaster
  case close

  /// Returns the start of the request with its time limit in seconds. The caller appends the
  /// parameters.
  func packer(seconds: Double) -> Packer {
    var packer = Packer()
    packer.putRaw(rawValue)
    packer.put(seconds)
    return packer
  }

  /// The size in bytes of the memory shared with a helper, which is the size of the largest tile.
  static let memorySize = 256 << 20
  /// The version of the protocol. The version of the helper program may differ from the version of
  /// this program.
  static let version = 1
}

/// The resources that a helper process may access. Sources with equal scopes share a process.
struct HelperScope: Sendable, Hashable, Packed {
  /// The only folder in which the helper may read files; nil for all folders.
  var folder: String?
  var allowsNetwork: Bool
  /// The working directory, against which relative paths are resolved.
  var workingFolder: String
  /// The GDAL settings that the program changes at run time, each as `NAME=VALUE`.
  var settings: [String]

  init(_ access: GDALAccess, settings: [String]) {
    folder = access.trust == .document ? access.folder : nil
    allowsNetwork = access.trust == .full && access.allowsNetwork
    workingFolder = WorkingFolder.path
    self.settings = settings
  }

  func pack(into packer: inout Packer) {
    packer.put(folder)
    packer.put(allowsNetwork)
    packer.put(workingFolder)
    packer.put(settings)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    (folder, allowsNetwork) = (try unpacker.read(), try unpacker.read())
    (workingFolder, settings) = (try unpacker.read(), try unpacker.read())
  }

}

/// A helper's reply, which contains warnings and either the result or an error.
struct HelperReply {
  var warnings: [String]
  var outcome: Result<Unpacker, GDALError>

  init(_ bytes: [UInt8]) throws(GDALError) {
    var unpacker = Unpacker(bytes)
    let isFault = try unpacker.read(Bool.self)
    warnings = try unpacker.read()
    outcome = isFault ? .failure(try unpacker.read()) : .success(unpacker)
  }

  /// Returns the start of a reply. The caller appends the result.
  static func packer(warnings: [String], fault: GDALError?) -> Packer {
    var packer = Packer()
    packer.put(fault != nil)
    packer.put(warnings)
    if let fault { packer.put(fault) }
    return packer
  }
}
