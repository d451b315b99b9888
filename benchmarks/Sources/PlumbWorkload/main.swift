// Plumb's part of the rival suite. The input is points in float64 .npy files, the output .npy files:
//
//   plumb-workload cold RASTER... --x x.npy --y y.npy --out PREFIX [--crs CODE] [--threads N]
//   plumb-workload warm RASTER --x x.npy --y y.npy --out PREFIX --rounds N
//   plumb-workload single RASTER --x X --y Y --rounds N
//
// and the workloads of geometry, maps, networks, expressions and geotriggers, which are documented in
// GeometryWorkload.swift, MapWorkload.swift, NetworkWorkload.swift, ExpressionWorkload.swift and
// GeotriggerWorkload.swift.

import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Cells without a value are written as 0, as the suite's comparison expects.
func writeAnswers(_ prefix: String, _ rasters: [Raster], _ answers: [RasterAnswer]) throws {
  for (raster, answer) in zip(rasters, answers) {
    let count = answer.columns.first?.count ?? 0
    var status: [UInt8]
    if answer.columns.count == 1 {
      status = answer.columns[0].status.array
    } else {
      status = [UInt8](repeating: 0, count: count)
      for i in 0..<count { status[i] = answer.status(at: i).rawValue }
    }
    for (band, column) in answer.columns.enumerated() {
      let size = column.pixelType.byteCount
      for i in 0..<count where column.status.base[i] != 0 {
        memset(column.bytes + i * size, 0, size)
      }
      try NumPyFile.write(
        "\(prefix)_\(raster.name)_\(band + 1).npy", type: NumPyFile.typeName(column.pixelType),
        count: count, UnsafeRawBufferPointer(start: column.bytes, count: count * size))
    }
    try status.withUnsafeBytes {
      try NumPyFile.write("\(prefix)_\(raster.name)_status.npy", type: "|u1", count: count, $0)
    }
  }
}

func run() throws {
  let arguments = Arguments(CommandLine.arguments)
  let workers = Workers(count: arguments.number("threads"))
  if let workload = GeometryWorkload(arguments, workers) { return print(try workload.run()) }
  if let workload = MapWorkload(arguments) { return print(try workload.run()) }
  if let workload = NetworkWorkload(arguments) { return print(try workload.run()) }
  if let workload = ExpressionWorkload(arguments) { return print(try workload.run()) }
  if let workload = GeotriggerWorkload(arguments, workers) { return print(try workload.run()) }
  let start = ContinuousClock.now
  let rasters = try [Raster].open(arguments.rasters, workers: workers)
  let reference = try arguments.options["crs"].map { try SpatialReference($0) }
  let identifier = try RasterIdentifier(
    rasters.map { RasterSampler.Request($0) }, reference: reference,
    cache: TileCache(capacity: 2 << 30), workers: workers)
  if arguments.mode == "single" {
    guard let x = Double(try arguments.text("x")), let y = Double(try arguments.text("y")) else {
      throw NumPyFile.Failure(message: "--x and --y must be numbers")
    }
    let rounds = arguments.number("rounds") ?? 1_000_000
    let probe = try identifier.makeProbe(raster: 0, band: 0)
    var last = probe.value(x: x, y: y)
    let time = timed {
      for _ in 0..<rounds { last = probe.value(x: x, y: y) }
    }
    print(
      "{\"nanoseconds_per_call\": \(time / Double(rounds) * 1e9), "
        + "\"value\": \(last.value?.description ?? "null")}")
    return
  }
  let (x, y) = (
    try NumPyFile.doubles(arguments.text("x")), try NumPyFile.doubles(arguments.text("y"))
  )
  guard let xs = x.baseAddress, let ys = y.baseAddress else {
    throw NumPyFile.Failure(message: "no points")
  }
  let points = PointCoordinates(x: xs, y: ys, count: min(x.count, y.count))
  let prefix = try arguments.text("out")
  if arguments.mode == "warm" {
    // One round to load every tile, then the measured rounds.
    var answers = identifier.sample(points)
    var times: [Double] = []
    for _ in 0..<(arguments.number("rounds") ?? 3) {
      times.append(timed { answers = identifier.sample(points) })
    }
    try writeAnswers(prefix, rasters, answers)
    print("{\"seconds\": [\(times.map(\.description).joined(separator: ", "))]}")
    return
  }
  let answers = identifier.sample(points, keepsTiles: false)
  let seconds = seconds(since: start)
  try writeAnswers(prefix, rasters, answers)
  print("{\"seconds\": [\(seconds)]}")
}

do {
  try run()
} catch {
  let message =
    (error as? NumPyFile.Failure)?.message ?? PlumbError.message(of: error)
  let line = Array("plumb-workload: \(message)\n".utf8)
  _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(1)
}
