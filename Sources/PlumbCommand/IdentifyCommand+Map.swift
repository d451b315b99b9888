import ArgumentParser
import Plumb

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
    guard let asked = opened.layer(id: layer) else {
      throw PlumbError("the map has no layer \(layer.printable)")
    }
    if case .failed(let error) = asked.loadStatus { throw Self.named(asked, error) }
    guard case .feature(let features) = asked.typed else {
      throw PlumbError("--where: \(layer.printable) is not a layer of features")
    }
    do {
      try features.narrow(to: condition)
    } catch let error as LayerError {
      throw Self.named(asked, error)
    } catch {
      throw PlumbError("--where", error)
    }
  }

  private static func named(_ layer: any Layer, _ error: LayerError) -> LayerError {
    error.of(layer.name.printable)
  }

  /// Draws what was found at the points, on a map.
  func draw(
    _ picture: ResultPicture, on map: Map, _ results: [[IdentifyLayerResult]],
    _ reference: SpatialReference?, _ console: Console
  ) throws {
    let points = reading.at.compactMap(Self.point).map { SIMD2($0.x, $0.y) }
    let found = Overlay(identified: results, at: points, reference: reference)
    let view = try picture.view(
      of: points, in: reference, reach: Overlay.reach(of: results.joined(), in: reference),
      scale: self.map.scale)
    try picture.write(on: map, [found], view: view, console)
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
    let transformations = identifier.transformationWarnings
    if writing.strict, let uncertainty = transformations.first {
      throw PlumbError.strict(Wording(uncertainty), "it")
    }
    for line in transformations { console.warn(line) }
    let points = reading.at.compactMap(Self.point)
    if running.explain, let rasters = identifier.rasters {
      for line in rasters.explanation(x: points.map(\.x), y: points.map(\.y)) {
        console.note(line)
      }
    }
    let answers = points.map { identifier.identify(x: $0.x, y: $0.y) }
    let failures = identifier.rasters?.sampler.takeFailures()
    var warnings = identifier.warnings
    warnings += failures?.messages ?? []
    if let failure = identifier.failure { throw failure }
    if writing.strict, let warning = warnings.first {
      throw PlumbError.strict(warning)
    }
    if writing.strict,
      let refusal = answers.lazy.compactMap({ IdentifyLayerResult.strictRefusal(of: $0) }).first
    {
      throw refusal
    }
    let uncertain = PointWarnings(
      x: points.map(\.x), y: points.map(\.y), reference: identifier.reference)
    for line in warnings + uncertain.warnings(of: identifier) { console.warn(line) }
    for line in GDALMessages.take() { console.warn(line) }
    if let line = identifier.absence { console.warn(line) }
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
      drawn, overwrite: target.overwrite, inputs: opened.documents)
    {
      try draw(picture, on: opened, answers, identifier.reference, console)
    }
    if let failure = identifier.wholeFailure {
      console.note(failure.line.line)
      throw ExitCode.failure
    }
    // A layer that fails has its own error, and the others answer; a cell that cannot be read is a
    // hole in an answer.
    if failures?.messages.isEmpty == false { throw ExitCode.failure }
  }
}
