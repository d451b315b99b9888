import CPlumb
import Foundation
import Plumb
import PlumbC
import PlumbTestSupport
import Testing

/// Calls cancelled by their poll at many moments: the output is the whole result or an error.
@Suite(.serialized) struct CancelledCallTests {
  /// A poll function that cancels from a given moment on.
  private final class Poll {
    private let end: ContinuousClock.Instant
    /// The number of cancellations.
    private(set) var strikes = 0

    init(after seconds: Double) { end = ContinuousClock.now + .seconds(seconds) }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let function: plumb_poll = { context, _ in
      guard let context else { return 0 }
      let poll = Unmanaged<Poll>.fromOpaque(context).takeUnretainedValue()
      // The moments vary.
      let left = (poll.end - ContinuousClock.now) / .seconds(1)
      if left > 0.01 { return 0 }
      RandomMoments.wait(seconds: left)
      poll.strikes += 1
      return 1
    }
  }

  private static var message: String { String(cString: CPlumb.plumb_error_message()) }

  // There are so many points that sampling takes several times the interval of the first poll on
  // any machine.
  private static let count = 600_000
  private static let points: (x: [Double], y: [Double]) = {
    var generator = SeededGenerator(seed: 41)
    return (
      (0..<count).map { _ in Double.random(in: 18.3...18.95, using: &generator) },
      (0..<count).map { _ in Double.random(in: -34.3 ... -33.7, using: &generator) }
    )
  }()

  /// Calls a function with or without a poll function; returns the status and the output as bytes.
  private typealias Call = (plumb_poll?, UnsafeMutableRawPointer?) -> (CInt, [UInt8])

  private func check(_ name: String, _ call: Call) {
    let (status, complete) = call(nil, nil)
    #expect(status == PLUMB_OK && !complete.isEmpty, "\(Self.message)")
    let seconds = RandomMoments.seconds { _ = call(nil, nil) }
    var moments = RandomMoments(seed: 43, seconds: seconds)
    while moments.needsMore(6) {
      let poll = Poll(after: moments.next())
      let (status, result) = call(Poll.function, poll.context)
      moments.record(wasStrike: poll.strikes > 0)
      if poll.strikes > 0 {
        #expect(status == PLUMB_CANCELLED && result.isEmpty)
        #expect(String(cString: CPlumb.plumb_error_code()) == "cancelled")
      } else {
        #expect(status == PLUMB_OK && result == complete)
      }
    }
    #expect(moments.areStrikes, "\(name): \(moments.strikes) of \(moments.count)")
    // Results do not contain partial results of cancelled calls.
    #expect(call(nil, nil).1 == complete)
    if ProcessInfo.processInfo.environment["PLUMB_CANCELLATIONS"] != nil {
      print("\(name): \(moments.strikes) of \(moments.count) moments, \(seconds) s")
    }
  }

  @Test(arguments: ["nearest", "bilinear"]) func samples(method: String) throws {
    var handle: OpaquePointer?
    let opened = (TestPaths.rasters + "/evi_cape_town.tif").withCString { path in
      var list: [UnsafePointer<CChar>?] = [path]
      // No tile is cached, so that each call reads tiles.
      return CPlumb.plumb_sampler_open(
        &list, 1, #"{"method":"\#(method)","once":true,"cache":0}"#, nil, nil, &handle)
    }
    #expect(opened == PLUMB_OK, "\(Self.message)")
    defer { CPlumb.plumb_sampler_close(handle) }
    let type: PixelType = method == "nearest" ? .int16 : .float64
    check("sample \(method)") { poll, context in
      let column = ValueColumn(pixelType: type, count: Self.count)
      var target = plumb_column(values: column.bytes, statuses: column.status.base)
      let status = CPlumb.plumb_sample(
        handle, Self.points.x, Self.points.y, Int64(Self.count), "EPSG:4326", &target, 1, nil, poll,
        context)
      // The output of a cancelled call is undefined.
      if status != PLUMB_OK { return (status, []) }
      let size = type.byteCount
      for row in 0..<Self.count where column.status.base[row] != 0 {
        memset(column.bytes + row * size, 0, size)
      }
      return (
        status,
        Array(UnsafeRawBufferPointer(start: column.status.base, count: Self.count))
          + Array(UnsafeRawBufferPointer(start: column.bytes, count: Self.count * size))
      )
    }
  }

  /// The bytes of a table's buffers and the number of its rows.
  private func consumed(_ schema: inout ArrowSchema, _ array: inout ArrowArray) -> [UInt8] {
    guard array.release != nil else { return [] }
    defer {
      schema.release(&schema)
      array.release(&array)
    }
    var bytes: [UInt8] = []
    for number in 0..<Int(array.n_children) {
      guard let child = array.children[number]?.pointee else { continue }
      bytes += Array("\(child.length) \(child.null_count) ".utf8)
      // One byte per row for values or offsets, one bit for flags, and all of the text for the
      // offsets.
      guard let start = child.buffers[1] else { continue }
      let isFlags = schema.children[number]?.pointee.format.pointee == CChar(UInt8(ascii: "b"))
      let count = isFlags ? (child.length + 7) / 8 : child.length
      bytes += UnsafeRawBufferPointer(start: start, count: Int(count))
      guard child.n_buffers == 3, let text = child.buffers[2] else { continue }
      let offsets = start.assumingMemoryBound(to: Int64.self)
      bytes += UnsafeRawBufferPointer(start: text, count: Int(offsets[Int(child.length)]))
    }
    return bytes
  }

  @Test func batchesOfMaps() throws {
    var handle: OpaquePointer?
    #expect(
      CPlumb.plumb_map_open(TestPaths.rasters + "/cape.json", nil, nil, nil, &handle) == PLUMB_OK)
    defer { CPlumb.plumb_map_close(handle) }
    let (x, y) = (Array(Self.points.x.prefix(400)), Array(Self.points.y.prefix(400)))
    check("identify batch") { poll, context in
      var (schema, array) = (ArrowSchema(), ArrowArray())
      let status = CPlumb.plumb_map_identify_batch(
        handle, x, y, Int64(x.count), "EPSG:4326", #"{"tolerance":"2km"}"#, poll, context, &schema,
        &array)
      return (status, consumed(&schema, &array))
    }
  }

  @Test func points() throws {
    var handle: OpaquePointer?
    #expect(
      CPlumb.plumb_map_open(TestPaths.rasters + "/cape.json", nil, nil, nil, &handle) == PLUMB_OK)
    defer { CPlumb.plumb_map_close(handle) }
    check("identify") { poll, context in
      var text: UnsafeMutablePointer<CChar>?
      let status = CPlumb.plumb_map_identify(
        handle, 18.6, -33.95, "EPSG:4326", #"{"tolerance":"40km","max_results":"all"}"#, poll,
        context, &text)
      return (status, consumed(text))
    }
  }

  /// The bytes of a string, which is then freed.
  private func consumed(_ text: UnsafeMutablePointer<CChar>?) -> [UInt8] {
    defer { CPlumb.plumb_free(text) }
    return text.map { Array(String(cString: $0).utf8) } ?? []
  }

  /// Pushes locations, each time to a new monitor.
  @Test func locations() throws {
    let count = 40_000
    let x = (0..<count).map { Double($0 % 37) / 12 }
    let y = [Double](repeating: 0.5, count: count)
    let time = (0..<count).map { 1_777_630_000_000 + Int64($0) * 1000 }
    let entity = (0..<count).map { Int32($0 % 40) }
    let names = (0..<40).map { "e\($0 + 10)" }
    let ends = (0...40).map { Int64($0 * 3) }
    var last: OpaquePointer?
    defer { CPlumb.plumb_monitor_close(last) }
    check("monitor push") { poll, context in
      // If the previous monitor were closed afterwards, the call's error would be cleared.
      CPlumb.plumb_monitor_close(last)
      guard let monitor = try? monitor() else { return (PLUMB_OK, []) }
      last = monitor
      var text: UnsafeMutablePointer<CChar>?
      let status = names.joined().withCString { names in
        var locations = plumb_locations()
        locations.count = Int64(count)
        return x.withUnsafeBufferPointer { x in
          y.withUnsafeBufferPointer { y in
            time.withUnsafeBufferPointer { time in
              entity.withUnsafeBufferPointer { entity in
                ends.withUnsafeBufferPointer { ends in
                  (locations.x, locations.y) = (x.baseAddress, y.baseAddress)
                  (locations.time, locations.entity) = (time.baseAddress, entity.baseAddress)
                  (locations.name_bytes, locations.name_offsets) = (names, ends.baseAddress)
                  locations.name_count = 40
                  return CPlumb.plumb_monitor_push(
                    monitor, &locations, poll, context, &text, nil, nil)
                }
              }
            }
          }
        }
      }
      return (status, consumed(text))
    }
  }

  @Test func feeds() throws {
    let folder = try TemporaryFolder()
    let rows = (0..<30_000).map { row in
      "e\(row % 40),\(1_777_630_000 + row),\(Double(row % 37) / 12),0.5\n"
    }
    let path = try folder.write("feed.csv", "id,time,x,y\n" + rows.joined())
    var last: OpaquePointer?
    defer { CPlumb.plumb_monitor_close(last) }
    check("monitor next") { poll, context in
      CPlumb.plumb_monitor_close(last)
      guard let monitor = try? monitor() else { return (PLUMB_OK, []) }
      last = monitor
      guard CPlumb.plumb_monitor_follow(monitor, path, nil, nil, nil) == PLUMB_OK else {
        return (PLUMB_OK, [])
      }
      var bytes: [UInt8] = []
      var more: CInt = 1
      while more != 0 {
        var text: UnsafeMutablePointer<CChar>?
        let status = CPlumb.plumb_monitor_next(monitor, poll, context, &more, &text, nil, nil)
        bytes += consumed(text)
        // Events before a cancelled call are returned completely.
        if status != PLUMB_OK { return (status, []) }
      }
      return (PLUMB_OK, bytes)
    }
  }

  /// A monitor of a square of one degree and of one next to it.
  private func monitor() throws -> OpaquePointer? {
    func square(_ x: Double) throws -> [UInt8] {
      let corners = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)].map { SIMD2(x + $0.0, $0.1) }
      return try WKBGeometry.encode(.polygon(Polygon(VertexList(corners))))
    }
    let shapes = [try square(0), try square(2)]
    let bytes = shapes.flatMap { $0 }
    let offsets = [0, Int64(shapes[0].count), Int64(bytes.count)]
    var handle: OpaquePointer?
    let status = bytes.withUnsafeBufferPointer { bytes in
      offsets.withUnsafeBufferPointer { offsets in
        var fences = plumb_fences()
        (fences.shapes.bytes, fences.shapes.offsets) = (bytes.baseAddress, offsets.baseAddress)
        fences.shapes.count = 2
        return CPlumb.plumb_monitor_open(&fences, nil, nil, nil, &handle)
      }
    }
    #expect(status == PLUMB_OK, "\(Self.message)")
    return handle
  }

  @Test func buffers() throws {
    let shapes = try (0..<1_500).map { row in
      try WKBGeometry.encode(.point(Point(x: Self.points.x[row], y: Self.points.y[row])))
    }
    let bytes = shapes.flatMap { $0 }
    let offsets = shapes.reduce(into: [Int64(0)]) { $0.append($0[$0.count - 1] + Int64($1.count)) }
    check("buffer") { poll, context in
      var (schema, array) = (ArrowSchema(), ArrowArray())
      let status = bytes.withUnsafeBufferPointer { bytes in
        offsets.withUnsafeBufferPointer { offsets in
          var list = plumb_shapes()
          (list.bytes, list.offsets) = (bytes.baseAddress, offsets.baseAddress)
          list.count = Int64(shapes.count)
          return CPlumb.plumb_buffer(
            &list, [900], 1, #"{"crs":"EPSG:4326","unit":"m","geodesic":true,"threads":2}"#, poll,
            context, &schema, &array)
        }
      }
      return (status, consumed(&schema, &array))
    }
  }

  @Test func zonal() throws {
    let areas = try (0..<600).map { row in
      let (x, y) = (Self.points.x[row], Self.points.y[row])
      return try WKBGeometry.encode(
        .polygon(Envelope(xMin: x, yMin: y, xMax: x + 0.05, yMax: y + 0.05).polygon))
    }
    let bytes = areas.flatMap { $0 }
    let offsets = areas.reduce(into: [Int64(0)]) { $0.append($0[$0.count - 1] + Int64($1.count)) }
    check("zonal") { poll, context in
      var (schema, array) = (ArrowSchema(), ArrowArray())
      let status = bytes.withUnsafeBufferPointer { bytes in
        offsets.withUnsafeBufferPointer { offsets in
          (TestPaths.rasters + "/evi_cape_town.tif").withCString { path in
            var list = plumb_shapes()
            (list.bytes, list.offsets) = (bytes.baseAddress, offsets.baseAddress)
            list.count = Int64(areas.count)
            let paths: [UnsafePointer<CChar>?] = [path]
            return CPlumb.plumb_zonal(
              &list, nil, paths, 1,
              #"{"crs":"EPSG:4326","stat":"mean,median,area","threads":2}"#, poll, context, &schema,
              &array)
          }
        }
      }
      return (status, consumed(&schema, &array))
    }
  }

  @Test func networks() throws {
    let folder = try TemporaryFolder()
    let chain = (0..<4000).map { "N\($0)-P\($0)" }.joined(separator: "-")
    let path = try folder.write("town.inp", EPANETTown("R-P-\(chain)-END").text)
    check("network open") { poll, context in
      var handle: OpaquePointer?
      let status = CPlumb.plumb_network_open(path, nil, poll, context, &handle)
      guard handle != nil else { return (status, []) }
      defer { CPlumb.plumb_network_close(handle) }
      var text: UnsafeMutablePointer<CChar>?
      #expect(CPlumb.plumb_network_describe(handle, &text) == PLUMB_OK)
      return (status, consumed(text))
    }
    var handle: OpaquePointer?
    #expect(CPlumb.plumb_network_open(path, nil, nil, nil, &handle) == PLUMB_OK)
    defer { CPlumb.plumb_network_close(handle) }
    check("trace") { poll, context in
      var text: UnsafeMutablePointer<CChar>?
      var isolated: CInt = 0
      let status = CPlumb.plumb_network_trace(
        handle, #"{"type":"connected","start":["N5"]}"#, poll, context, &text, &isolated)
      return (status, consumed(text))
    }
  }
}
