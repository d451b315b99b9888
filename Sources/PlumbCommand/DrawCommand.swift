import ArgumentParser
import Plumb
import PlumbVerbs
import PlumbSandbox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct DrawCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "draw",
    abstract: "Draws a map as a picture: PNG, SVG or PDF.",
    usage: """
      plumb draw MAP -o FILE [--extent XMIN,YMIN,XMAX,YMAX]
      plumb draw MAP -o FILE --center X,Y --scale S [OPTIONS]
      """,
    discussion: """
      Layers are drawn as their renderers say, the first at the bottom, where they are visible at the \
      scale. Rasters have the colours of their tables, or a ramp from low to high; elevations have \
      light from the north-west.

      --result draws what identify, buffer, trace and monitor wrote, tracks and any features over the \
      map: cells as outlines, traces by asset type, events by type.

      plumb draw rasters/cape.json -o cape.png
      plumb draw rasters/cape.json --center 18.42,-33.95 --scale 100000 -o city.svg
      """)

  @Argument(help: "A map document, a raster or a file of features.")
  var map: String

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Results to draw over the map; the picture shows them.", valueName: "file"))
  var result: [String] = []

  @OptionGroup(title: "View") var view: ViewArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Run") var walls: DocumentAccessArguments

  func validate() throws { _ = try pictureFormat() }

  func run() throws {
    let format = try pictureFormat()
    let isDocument = Map.isDocument(path: map)
    let run = RunWalls(
      documents: isDocument ? [map] : [], inputs: (isDocument ? [] : [map]) + result,
      outputs: [target.output].compactMap { $0 },
      allowsOutside: walls.allowOutside,
      reachesHosts: walls.reachesHosts)
    try Console.run(within: run) { try draw(as: format) }
  }

  /// By the output's name.
  private func pictureFormat() throws -> Canvas.Format {
    guard let output = target.output else {
      if isatty(STDOUT_FILENO) == 1 {
        throw ValidationError("a picture is no text: give -o and a file, as -o map.png")
      }
      return .png
    }
    return try Canvas.Format(ofName: output, option: "-o")
  }

  private func draw(as format: Canvas.Format) throws {
    let workers = Workers()
    let output = try ResultOutput(path: target.output, overwrite: target.overwrite)
    let opened = try Map.any(
      path: map, access: walls.access, signIn: walls.signIn, workers: workers)
    try output.check(inputs: opened.documents + result)
    let overlays = try result.enumerated().map { number, path in
      try Overlay.read(path, number: number, access: walls.access)
    }
    for line in overlays.compactMap(\.warning) { Console().warn(line) }
    let reference = try view.crs.map { try SpatialReference($0) } ?? DrawnView.usualReference
    let shown = try shownView(of: opened, overlays, reference)
    let canvas = try Canvas(width: shown.width, height: shown.height, format: format)
    var painter = MapPainter(shown, on: canvas, workers: workers)
    if !view.plain { painter.fill(Color(255, 255, 255)) }
    painter.draw(opened)
    for overlay in overlays { try painter.draw(overlay) }
    if !view.plain { painter.annotate() }
    for line in painter.warnings { Console().warn(line) }
    for line in GDALMessages.take() { Console().warn(line) }
    try output.write(try canvas.finish(workers: workers))
  }

  private func shownView(
    of map: Map, _ overlays: [Overlay], _ reference: SpatialReference
  ) throws -> DrawnView {
    let size = view.size ?? PictureSize(of: ResultPicture.size)
    let (width, height) = (size.width, size.height)
    let given = view.crs == nil ? SpatialReference.wgs84 : reference
    if let center = view.center?.numbers, let scale = view.scale {
      let point = Geometry.point(Point(x: center[0], y: center[1], spatialReference: given))
      guard case .point(let own) = try projected(point, to: reference, "--center") else {
        throw PlumbError("--center: not a point")
      }
      return try DrawnView(
        center: own.xy, scale: scale, width: width, height: height, reference: reference)
    }
    var extent: Envelope
    if let numbers = view.extent?.numbers {
      let window = Envelope(
        xMin: numbers[0], yMin: numbers[1], xMax: numbers[2], yMax: numbers[3],
        spatialReference: given)
      let eastward: Envelope
      do {
        eastward = try window.eastward
      } catch {
        throw PlumbError("--extent", error)
      }
      guard case .envelope(let own) = try projected(.envelope(eastward), to: reference, "--extent")
      else { throw PlumbError("--extent: not an extent") }
      extent = own
    } else if overlays.contains(where: { $0.extent != nil }) {
      return try DrawnView(
        showing: overlays, width: width, height: height, reference: reference)
    } else if let all = DrawnView.extent(of: map, in: reference) {
      extent = all
      // A point alone has no width: a kilometre round it, or as much in degrees.
      if extent.xMin == extent.xMax, extent.yMin == extent.yMax {
        let reach = reference.isGeographic ? 0.005 : 500
        extent.xMin -= reach
        extent.xMax += reach
      }
    } else if let failure = DrawnView.failureOfExtent(of: map) {
      throw PlumbError("no layer of the map says how far it reaches", failure)
    } else {
      throw PlumbError(
        "no layer of the map says how far it reaches: say with --extent what to draw")
    }
    return try DrawnView(extent: extent, width: width, height: height, reference: reference)
  }

  private func projected(
    _ shape: Geometry, to reference: SpatialReference, _ option: String
  ) throws -> Geometry {
    if view.crs == nil {
      guard shape.vertices.xy.allSatisfy({ $0.x.magnitude <= 360 && $0.y.magnitude <= 90 }) else {
        throw PlumbError(
          "\(option) is longitude and latitude where --crs is not given; --crs names another "
            + "reference")
      }
    }
    do {
      return try GeometryEngine.project(shape, to: reference)
    } catch {
      throw PlumbError(Wording(option), error)
    }
  }
}
