import CPlumb
import Plumb
import PlumbVerbs

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
    var request = Identify.Request()
    try Identify.Part.mapOpen.options.read(options, into: &request)
    // The points are passed by later calls.
    request.points = .inline
    try Identify.check(request, by: .library)
    if let connections = request.connections { RemoteRasters.connections = connections }
    // The number of connections applies to the process. It is not kept with the map, because later calls may
    // set another number.
    request.connections = nil
    let opening = request
    let map = try Poll(poll, context).run(mayOutlive: true) { _ in
      try OpenMap(path, opening)
    }
    warn()
    return maps.insert(map)
  }
}

/// Describes a map's layers.
@c @implementation
public func plumb_map_describe(
  _ handle: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    let map = try maps[handle]
    let text = MapInfo(map.opened.map, path: map.path).json
    warn()
    return text
  }
}

/// Identifies the layers at a point.
@c @implementation
public func plumb_map_identify(
  _ handle: OpaquePointer?, _ x: Double, _ y: Double, _ crs: UnsafePointer<CChar>?,
  _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    let map = try maps[handle]
    var request = map.request
    try Identify.Part.mapPoint.options.read(options, into: &request)
    request.crs = try CText.optional(crs, "the point's CRS")
    (request.points, request.at) = (nil, [SIMD2(x, y)])
    guard x.isFinite, y.isFinite else {
      throw CallError.bad("\(x), \(y): x and y have to be finite numbers")
    }
    let copiedRequest = request
    let result = try Poll(poll, context).run(mayOutlive: true) { _ in
      try map.identify(copiedRequest)
    }
    warn(result.warnings)
    return result.text
  }
}

/// Identifies the layers at many points.
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
    var request = map.request
    try Identify.Part.mapPoints.options.read(options, into: &request)
    request.crs = try CText.optional(crs, "the points' CRS")
    try Identify.check(request, by: .library)
    let copiedRequest = request
    let copiedPoints = poll == nil ? points : points.copy()
    let result = try Poll(poll, context).run(mayOutlive: true) { _ in
      try map.table(copiedPoints, copiedRequest)
    }
    warn(result.warnings)
    return result.table
  }
}

/// Closes a map.
@c @implementation
public func plumb_map_close(_ handle: OpaquePointer?) -> CInt {
  entry { try maps.remove(handle) }
}
