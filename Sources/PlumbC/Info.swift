import CPlumb
import Plumb

/// What a path holds, as JSON.
private func facts(_ path: String, _ access: DocumentAccess) throws -> String {
  if Map.isDocument(path: path) {
    return MapInfo(try Map.open(path: path, access: access), path: path).json
  }
  // What is not a network may still be a raster, or fail as one.
  if (try? OpenedNetwork.form(of: path)) != nil {
    return try NetworkInfo(OpenedNetwork.open(path: path, access: access)).json
  }
  do {
    return try RasterInfo(path, access: access).json
  } catch {
    // What a driver of rasters says of a file that is for none of them.
    _ = GDALMessages.take()
    if let info = try VectorInfo(path, access: access) { return info.json }
    guard let info = FeedInfo(path) else {
      throw Map.documentFault(path: path).map { PlumbError($0) } ?? error
    }
    return info.json
  }
}

/// What a path holds.
@c @implementation
public func plumb_info(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    let path = try CText.text(path, "the path")
    var options = try Options(options)
    let access = try options.access()
    try options.finish()
    let text = try Poll(poll, context).run(mayOutlive: true) { _ in try facts(path, access) }
    warn()
    return text
  }
}
