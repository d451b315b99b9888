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
      Layers are drawn with their renderers, the first at the bottom, if they are visible at the \
      scale. Rasters have the colours of their tables, or a ramp from low to high; elevations are \
      shaded with light from the north-west.

      --result draws the output of identify, buffer, trace and monitor, tracks and any features over \
      the map: cells as outlines, traces by asset type, events by type.

      plumb draw rasters/cape.json -o cape.png
      plumb draw rasters/cape.json --center 18.42,-33.95 --scale 100000 -o city.svg
      """)

  @Argument(help: drawHelp(.map))
  var map: String

  @OptionGroup(title: "Input") var reading: ResultArguments

  @OptionGroup(title: "Input") var time: DrawTimeArguments

  @OptionGroup(title: "View") var view: ViewArguments

  @OptionGroup(title: "Output") var target: TargetArguments

  @OptionGroup(title: "Run") var permissions: DocumentAccessArguments

  func validate() throws {
    if target.output == nil, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError(
        "a picture cannot be written to a terminal: give a file, for example -o map.png")
    }
    for (option, text) in [("--extent", view.extent), ("--center", view.center)] {
      guard let text, NumberList.parse(text) == nil else { continue }
      throw ValidationError("\(option) \(text.printable): expected numbers separated by commas")
    }
    try checkUsage { try Draw.options.check(request, by: .command) }
  }

  func run() throws {
    let isDocument = Map.isDocument(path: map)
    let run = RunSandbox(
      documents: isDocument ? [map] : [],
      inputs: (isDocument ? [] : [map]) + reading.result + time.tables,
      outputs: [target.output].compactMap { $0 },
      allowsOutside: permissions.allowOutside,
      allowsHosts: permissions.allowsHosts)
    try Console.run(within: run) {
      var context = RunContext()
      (context.access, context.signIn) = (permissions.access, permissions.signIn)
      try Draw.run(request, in: context)
    }
  }

  private var request: Draw.Request {
    var request = Draw.Request()
    (request.map, request.results) = (map, reading.result)
    (request.dates, request.grouping, request.date) = (time.dates, time.group, time.date)
    request.extent = view.extent.map { NumberList.parse($0) ?? [.nan] } ?? []
    request.center = view.center.map { NumberList.parse($0) ?? [.nan] } ?? []
    (request.scale, request.size) = (view.scale, view.size)
    (request.crs, request.isPlain) = (view.crs, view.plain)
    (request.output, request.overwrites) = (target.output, target.overwrite)
    return request
  }
}
