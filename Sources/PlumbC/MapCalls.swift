import CPlumb
import Plumb

/// The open maps.
private let maps = HandleTable<OpenMap>()

/// Opens a map.
@c @implementation
public func plumb_map_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ handle: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  opening(handle) {
    let path = try CText.text(path, "the path")
    var options = try Options(options)
    let settings = OpenMap.Settings(
      bands: try options.bands(),
      resampling: try options.word("method", Resampling.self) ?? .nearest,
      cacheBytes: try options.cacheBytes(), workers: try options.workers(),
      access: try options.access())
    try options.connections()
    try options.finish()
    let map = try Poll(poll, context).run(mayOutlive: true) { _ in
      try OpenMap(path, settings)
    }
    warn()
    return maps.insert(map)
  }
}

/// A map's layers.
@c @implementation
public func plumb_map_describe(
  _ handle: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    let map = try maps[handle]
    let text = MapInfo(map.map, path: map.path).json
    warn()
    return text
  }
}

/// What the layers hold at a point.
@c @implementation
public func plumb_map_identify(
  _ handle: OpaquePointer?, _ x: Double, _ y: Double, _ crs: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    let map = try maps[handle]
    var options = try Options(options)
    let query = try MapQuery(&options, crs: CText.optional(crs, "the point's reference"))
    try options.finish()
    guard x.isFinite, y.isFinite else {
      throw CallError.bad("\(x), \(y): x and y have to be finite numbers")
    }
    let answer = try Poll(poll, context).run(mayOutlive: true) { _ in
      try map.identify(x: x, y: y, query)
    }
    warn(answer.warnings)
    return answer.json
  }
}

/// Asks the layers at many points.
@c @implementation
public func plumb_map_identify_batch(
  _ handle: OpaquePointer?, _ x: UnsafePointer<Double>?, _ y: UnsafePointer<Double>?, _ n: Int64,
  _ crs: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ schema: UnsafeMutablePointer<ArrowSchema>?,
  _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  tabling(schema, array) {
    let map = try maps[handle]
    let points = try SamplePoints(x, y, n)
    var options = try Options(options)
    let query = try MapQuery(&options, crs: CText.optional(crs, "the points' reference"))
    let columns = MapBatch.Columns(
      isScaled: try options.flag("scaled"), hasStatus: try options.flag("status"),
      hasProvenance: try options.flag("provenance"), only: try options.texts("fields"))
    try options.finish()
    let own = poll == nil ? points : points.copy()
    let answer = try Poll(poll, context).run(mayOutlive: true) { _ in
      try map.withBatch(query) { try $0.table(own, columns) }
    }
    warn(answer.warnings)
    return answer.table
  }
}

/// Closes a map.
@c @implementation
public func plumb_map_close(_ handle: OpaquePointer?) -> CInt {
  entry { try maps.remove(handle) }
}
