import ArgumentParser
import Plumb
import PlumbVerbs

extension IdentifyCommand {
  /// Asks the layers of a map document.
  func runMap(_ path: String, _ workers: Workers, _ console: Console) throws {
    guard reading.points != nil || format != .text else {
      throw ValidationError("a map prints as tree or json")
    }
    let opened = try Map.open(
      path: path, access: walls.access, signIn: walls.signIn, workers: workers)
    for line in opened.notes { console.note(line) }
    if let condition = map.condition { try narrow(opened, to: condition) }
    let reference = try reading.crs.map { try SpatialReference($0) }
    if let points = reading.points {
      let target = BatchTarget.map(opened, map.options, layer: reading.layer)
      try runBatch(target, try batchOptions(points, reference, workers), console)
    } else {
      try runPoints(opened, reference, console)
    }
  }

  private func narrow(_ opened: Map, to condition: String) throws {
    guard let layer = reading.layer else { throw ValidationError("--where goes with --layer") }
    try opened.narrow(layer: layer, to: condition)
  }

  private var askedPoints: [SIMD2<Double>] {
    reading.at.compactMap(Self.point).map { SIMD2($0.x, $0.y) }
  }

  /// Draws what was found at the points, on a map.
  func draw(
    _ picture: ResultPicture, on map: Map, _ results: [[IdentifyLayerResult]],
    _ reference: SpatialReference?, _ console: Console
  ) throws {
    let points = askedPoints
    let found = Overlay(identified: results, at: points, reference: reference)
    let view = try picture.view(
      of: points, in: reference, reach: Overlay.reach(of: results.joined(), in: reference),
      scale: self.map.scale)
    try picture.write(on: map, [found], view: view, warn: { console.warn($0) })
  }

  private func runPoints(
    _ opened: Map, _ reference: SpatialReference?, _ console: Console
  ) throws {
    var rasterOptions = MapIdentifier.RasterOptions()
    rasterOptions.resampling = cells.resampling
    rasterOptions.cache = TileCache(capacity: cells.cache.bytes)
    let identifier = try MapIdentifier(
      opened, options: map.options, reference: reference, layer: reading.layer,
      rasterOptions: rasterOptions, workers: Workers(count: 1))
    let points = askedPoints
    var context = RunContext(.command, warn: { console.warn($0) })
    if running.explain { context.note = { console.note($0) } }
    var answers: [[IdentifyLayerResult]] = []
    let outcome = try Identify.run(
      at: points, with: identifier, isStrict: writing.strict, in: context
    ) { answers.append($1) }
    for line in GDALMessages.take() { console.warn(line) }
    for (index, point) in points.enumerated() {
      let point = AskedPoint(x: point.x, y: point.y, reference: identifier.reference?.label)
      switch format ?? .tree {
      case .json:
        try StandardOutput.write(
          IdentifyLayerResult.json(point: point, results: answers[index], names: Setting.flags))
      case .tree, .text:
        let tree = IdentifyTree(
          point: point, results: answers[index], names: Setting.flags)
        try StandardOutput.write((index > 0 ? "\n" : "") + tree.text)
      }
    }
    if let picture = try ResultPicture(
      path: drawn.picture, overwrite: target.overwrite, inputs: opened.documents)
    {
      try draw(picture, on: opened, answers, identifier.reference, console)
    }
    switch outcome {
    case .done: break
    case .failed(let failure):
      console.note(failure.line.line)
      throw ExitCode.failure
    // A layer that fails has its own error, and the others answer; a cell that cannot be read is a
    // hole in an answer.
    case .unread: throw ExitCode.failure
    }
  }
}
