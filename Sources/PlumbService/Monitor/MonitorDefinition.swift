import Plumb
import PlumbDocuments
import PlumbIO
import PlumbVerbs

/// The options in a monitor's definition file. The names of the options are the long option names
/// of `plumb monitor`.
struct MonitorDefinition: Sendable {
  let request: Monitor.Request
  let plan: FencePlan

  /// - Parameters:
  ///   - path: the path of the definition file.
  ///   - access: the files to which the definition may refer.
  /// - Throws: errors with the file's name, if the file cannot be read or its options conflict.
  init(path: String, access: DocumentAccess) throws {
    do {
      let folder = try DocumentFolder(ofMap: path, access: access)
      try self.init(Self.bytes(of: path), folder)
    } catch let error as OptionViolation {
      let line = error.messageTemplate.text(FrontEnd.service.spellings)
      throw PlumbError("\(path.printable): \(line)", code: error.code)
    } catch let error as ServiceError {
      throw PlumbError("\(path.printable): \(error.message)", code: error.kind)
    } catch {
      throw PlumbError("\(path.printable)", error)
    }
  }

  private init(_ bytes: [UInt8], _ folder: DocumentFolder) throws {
    var request = Monitor.Request()
    try Monitor.options.read(
      JSONTree.members(of: bytes, "the monitor"), into: &request, by: .service)
    try Monitor.options.check(request, by: .service)
    if let fences = request.fences {
      request.fences = .files(try fences.files.map { try Self.fencePath($0, folder) })
    }
    request.rasterFences = try request.rasterFences.map { try Self.rasterFence($0, folder) }
    (self.request, plan) = (request, request.plan)
  }

  // MARK: Files

  /// The maximum size of a definition in bytes.
  private static let sizeLimit = 1 << 20

  private static func bytes(of path: String) throws -> [UInt8] {
    if let bytes = try SmallFile.bytes(of: path, limit: sizeLimit) { return bytes }
    throw PlumbError("over \(sizeLimit >> 20) MB, the limit for a monitor's file")
  }

  private static func resolved(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    do {
      return try folder.path(of: text)
    } catch {
      guard error.code == .notAllowed else { throw ServiceError(error) }
      throw ServiceError(
        "\(text.shown) is outside the folder of the monitor's file", kind: .notAllowed)
    }
  }

  /// - Parameter text: `FILE`, `FILE:LAYER` or the URL of a service's layer.
  private static func fencePath(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    // Access to the host is checked when the fences are opened.
    if FeatureServices.isService(at: text) { return text }
    let layer = FenceFile.split(text.hasPrefix("/") ? text : folder.prefix + text).layer
    guard let layer else { return try resolved(text, folder) }
    return try resolved(String(text.dropLast(layer.count + 1)), folder) + ":" + layer
  }

  /// - Parameter text: `PATH: EXPR`.
  private static func rasterFence(
    _ text: String, _ folder: DocumentFolder
  ) throws(ServiceError) -> String {
    guard let colon = text.firstRange(of: ": ") else { return text }
    return try resolved(String(text[..<colon.lowerBound]), folder) + text[colon.lowerBound...]
  }
}
