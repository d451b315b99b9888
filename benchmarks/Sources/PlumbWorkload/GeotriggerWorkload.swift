import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Plumb's part of the geotrigger workloads: only the engine, from prepared columns of locations to the
/// last event.
///
///     plumb-workload geotriggers --folder FOLDER --out PREFIX --buffer METRES --steps N
///
/// The folder has entity, time, x and y of all locations; xy.npy contains the fences' vertices as
/// x, y, x, y…, step after step, and ends.npy the end of each fence. Without ends.npy each fence is
/// a point. With more than one step, the fences are replaced after each N-th of the locations, and
/// building them is part of the measured work; otherwise their index is built before timing starts.
///
/// An event is written as one number that encodes its location, whether it is an entry, and its
/// fence.
struct GeotriggerWorkload {
  /// The number of locations in a batch.
  private static let batchSize = 65_536

  let arguments: Arguments
  let workers: Workers

  /// nil for another mode.
  init?(_ arguments: Arguments, _ workers: Workers) {
    guard arguments.mode == "geotriggers" else { return nil }
    (self.arguments, self.workers) = (arguments, workers)
  }

  /// The line with the time, for the suite.
  func run() throws -> String {
    guard let steps = arguments.number("steps"), steps > 0 else {
      throw NumPyFile.Failure(message: "--steps is missing")
    }
    let buffer = try arguments.decimal("buffer")
    let vertices = try numbers("xy")
    let ends = try? numbers("ends").map { Int($0) }
    let each = vertices.count / 2 / steps
    func fences(_ step: Int) throws -> FenceSet {
      let shareOfVertices = UnsafeBufferPointer(
        rebasing: vertices[2 * each * step..<2 * each * (step + 1)])
      return try FenceSet(
        Self.fences(shareOfVertices, ends), bufferDistance: buffer, workers: workers)
    }
    let batches = try batches(count: steps)
    let before = Self.residentBytes()
    var rules = FenceRules()
    // The rivals do not compute distances.
    rules.measuresDistances = false
    let tracker = try FenceTracker(fences(0), rules, workers: workers)
    let ready = Self.residentBytes()
    var events: [Int64] = []
    var entities: [Int64] = []
    let measured = try Measured.run {
      for (number, batch) in batches.enumerated() {
        // The first fences are also part of the measured work.
        if steps > 1 { tracker.replace(try fences(number)) }
        for event in tracker.update(batch).events {
          let location = Int64(event.index) << 1 | (event.type == .entered ? 1 : 0)
          events.append(location << 20 | Int64(event.fence))
          entities.append(Int64(event.entity))
        }
      }
    }
    let last = Self.residentBytes()
    let out = try arguments.text("out")
    try NumPyFile.write(out + "_events.npy", type: "<i8", events)
    try NumPyFile.write(out + "_entities.npy", type: "<i8", entities)
    return measured.json([
      "events": events.count, "fence_bytes": ready - before, "state_bytes": last - ready,
    ])
  }

  private static func fences(
    _ vertices: UnsafeBufferPointer<Double>, _ ends: [Int]?
  ) -> [Fence] {
    func vertex(_ index: Int) -> SIMD2<Double> {
      SIMD2(vertices[2 * index], vertices[2 * index + 1])
    }
    guard let ends else {
      return (0..<vertices.count / 2).map {
        let corner = vertex($0)
        return Fence(
          id: String($0),
          geometry: .point(Point(x: corner.x, y: corner.y, spatialReference: .wgs84)))
      }
    }
    var start = 0
    return ends.enumerated().map { number, end in
      defer { start = end }
      let ring = VertexList((start..<end).map(vertex))
      return Fence(
        id: String(number), geometry: .polygon(Polygon(ring, spatialReference: .wgs84)))
    }
  }

  /// - Parameter count: the number of batches; 1 for batches of the default size.
  private func batches(count: Int) throws -> [LocationBatch] {
    let (entity, time) = (try numbers("entity"), try numbers("time"))
    let (x, y) = (try numbers("x"), try numbers("y"))
    let size = count > 1 ? max(1, x.count / count) : Self.batchSize
    return stride(from: 0, to: x.count, by: size).map { first in
      let range = first..<min(x.count, first + size)
      var batch = LocationBatch()
      batch.index = Array(range)
      batch.entity = entity[range].map { Int32($0) }
      batch.time = time[range].map { Int64($0) }
      (batch.x, batch.y) = (Array(x[range]), Array(y[range]))
      return batch
    }
  }

  private func numbers(_ name: String) throws -> UnsafeBufferPointer<Double> {
    try NumPyFile.doubles(try arguments.text("folder") + "/\(name).npy")
  }

  /// The current memory of the process; 0 if the system does not report it.
  private static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 128)
    guard fgets(&text, 128, file) != nil else { return 0 }
    let words = String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
