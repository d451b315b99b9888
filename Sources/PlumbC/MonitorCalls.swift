import CPlumb
import Plumb
import PlumbVerbs

/// The open monitors.
private let monitors = HandleTable<FenceMonitor>()

/// Opens a monitor of fences.
@c @implementation
public func plumb_monitor_open(
  _ fences: UnsafePointer<plumb_fences>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ handle: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  opening(handle) {
    var request = Monitor.Request()
    try Monitor.Part.open.options.read(options, into: &request)
    if fences != nil {
      guard request.fences == nil, request.rasterFences.isEmpty else {
        throw CallError.bad("give exactly one of shapes, fences and raster_fences")
      }
      guard request.condition == nil, request.area.isEmpty else {
        throw CallError.bad("the options 'where' and 'area' need fences from files")
      }
      request.fences = .inline
    } else if request.fences == nil, request.rasterFences.isEmpty {
      throw CallError.bad("no fences are given: give shapes, or the option fences or raster_fences")
    }
    try Monitor.options.check(request, by: .library)
    let copiedRequest = request
    let copied = try fences.map { try CallerFences($0.pointee) }
    let monitor = try Poll(poll, context).run(mayOutlive: true) { _ in
      try FenceMonitor(copiedRequest, copied)
    }
    warn(monitor.warnings)
    return monitors.insert(monitor)
  }
}

/// Runs the body of a function that returns events.
private func telling(
  _ handle: OpaquePointer?, _ lines: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?,
  _ body: (FenceMonitor) throws -> FenceMonitor.Updates
) -> CInt {
  lines?.pointee = nil
  clear(schema, array)
  return entry {
    guard (schema == nil) == (array == nil) else {
      throw CallError.null("one of the two pointers to the table")
    }
    let monitor = try monitors[handle]
    let updates = try body(monitor)
    warn(updates.warnings)
    let events = EventTable(
      notifications: updates.notifications, rules: monitor.rules, workers: monitor.workers)
    let table = try schema == nil ? nil : events.table()
    if let lines { lines.pointee = try CText.copy(of: events.lines) }
    if let schema, let array { table?.export(to: schema, array) }
  }
}

/// Processes locations and returns their events.
@c @implementation
public func plumb_monitor_push(
  _ handle: OpaquePointer?, _ locations: UnsafePointer<plumb_locations>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?,
  _ lines: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  telling(handle, lines, schema, array) { monitor in
    guard let locations else { throw CallError.null("the locations") }
    let copied = try CallerLocations(locations.pointee)
    // A few locations are processed without the callback, because starting a thread would take
    // longer than processing them.
    let polls = copied.count > 256
    return try Poll(polls ? poll : nil, context).run(mayOutlive: true) { _ in
      try monitor.push(copied)
    }
  }
}

/// Opens a feed of locations.
@c @implementation
public func plumb_monitor_follow(
  _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?,
  _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?
) -> CInt {
  entry {
    let monitor = try monitors[handle]
    let path = try CText.text(path, "the path")
    var request = Monitor.Request()
    try Monitor.Part.follow.options.read(options, into: &request)
    // The check requires fences, but this call has none, because it uses the fences of the monitor.
    request.fences = .inline
    try Monitor.options.check(request, by: .library)
    let feed = request
    warn(try Poll(poll, context).run(mayOutlive: true) { _ in try monitor.follow(path, feed) })
  }
}

/// Returns the events of the feed's next rows.
@c @implementation
public func plumb_monitor_next(
  _ handle: OpaquePointer?, _ poll: plumb_poll?, _ context: UnsafeMutableRawPointer?,
  _ more: UnsafeMutablePointer<CInt>?,
  _ lines: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?
) -> CInt {
  more?.pointee = 0
  return telling(handle, lines, schema, array) { monitor in
    guard let more else { throw CallError.null("the pointer 'more'") }
    let updates = try Poll(poll, context).run(mayOutlive: true) { _ in try monitor.next() }
    more.pointee = updates.hasMore ? 1 : 0
    return updates
  }
}

/// Closes a monitor.
@c @implementation
public func plumb_monitor_close(_ handle: OpaquePointer?) -> CInt {
  entry { try monitors.remove(handle) }
}
