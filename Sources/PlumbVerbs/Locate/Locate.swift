import Plumb
import PlumbCore
import PlumbDocuments
import PlumbIO
import PlumbNetwork

/// The verb `locate`: finds the element of a network that is nearest to a point, for use as the
/// start of a trace.
package enum Locate {
  /// The options of a locate request.
  package struct Request: Sendable, Equatable {
    /// The name of a network that the server has open.
    package var network: String?
    /// Longitude and latitude in degrees on WGS84.
    package var at: [Double] = []
    /// The largest distance in metres.
    package var tolerance: Double?

    package init() {}
  }

  private static let missing: [FrontEnd: String] = [
    .command: "a trace accepts points instead of elements",
    .library: "a trace accepts points instead of elements",
  ]

  /// The options of `locate`.
  package static let options = OptionTable<Request>(
    [
      .text(
        .network, \.network, group: "Input", valueName: "network",
        help: "The name of the network; needed when there are several.", missing: missing),
      .coordinates(
        .at, \.at, kind: .position, group: "Input", valueName: "x,y",
        help: "A longitude and a latitude in degrees on WGS84.", missing: missing
      ) { abs($0[0]) <= 360 && abs($0[1]) <= 90 },
      .number(
        .tolerance, \.tolerance, range: .within(0...longest, "metres"), group: "Input",
        valueName: "metres", help: "The maximum distance to the element, up to 10000.",
        missing: missing
      ).withDefault(.integer(10)),
    ], rules: [.needsOne([.at])])

  /// The maximum tolerance in metres. The tolerance is limited, because one scale converts all
  /// coordinates around a point to metres.
  private static let longest = 10_000.0

  /// Finds the nearest element and writes it as JSON.
  ///
  /// The coordinates of a network without a CRS are used as longitudes and latitudes.
  ///
  /// - Throws: `OptionViolation` for invalid options, and an error for a point outside the area of the
  ///   network's CRS.
  package static func run(
    _ request: Request, on opened: OpenedNetwork, in context: RunContext
  ) throws {
    try options.check(request, by: context.frontEnd)
    let reference = opened.spatialReference ?? .wgs84
    let output = try RunOutput(context, path: nil, overwrite: false)
    let requestedPoint = SIMD2(request.at[0], request.at[1])
    let toNetwork = try Transformation(from: .wgs84, to: reference)
    let toDegrees = try Transformation(from: reference, to: .wgs84)
    guard let point = toNetwork.point(requestedPoint),
      let scale = toDegrees.metres(at: point, step: reference.isGeographic ? 1e-5 : 1)
    else {
      throw PlumbError(
        "\(request.at[0]),\(request.at[1]) cannot be transformed to \(reference.label.printable)",
        code: .badInput)
    }
    let found = opened.network.nearest(
      to: point, scale: scale, tolerance: request.tolerance ?? 10)
    try WorkCancellation.checkCurrent()
    var object = JSONObject()
    if let found {
      let foundPoint = toDegrees.point(found.point) ?? requestedPoint
      object.add("element", opened.describe(found, foundPoint, requestedPoint))
    } else {
      object.add("element", json: "null")
    }
    try output.write(object.bytes + [0x0A])
  }
}

extension Transformation {
  /// Returns the transformed point; nil if the point cannot be transformed.
  fileprivate func point(_ point: SIMD2<Double>) -> SIMD2<Double>? {
    var (x, y) = ([point.x], [point.y])
    apply(x: &x, y: &y, count: 1)
    return x[0].isFinite && y[0].isFinite ? SIMD2(x[0], y[0]) : nil
  }

  /// Returns the lengths in metres of one unit of x and one unit of y at a point; nil if the
  /// lengths cannot be determined. The target of the transformation must be a CRS of longitudes and
  /// latitudes.
  ///
  /// - Parameter step: the difference of coordinates whose length is measured.
  fileprivate func metres(at location: SIMD2<Double>, step: Double) -> SIMD2<Double>? {
    let earth = Geodesic(.wgs84)
    guard let start = point(location), let east = point(location + SIMD2(step, 0)),
      let north = point(location + SIMD2(0, step))
    else { return nil }
    let scale =
      SIMD2(
        earth.inverse(from: start, to: east).distance,
        earth.inverse(from: start, to: north).distance)
      / step
    return scale.x > 0 && scale.y > 0 ? scale : nil
  }
}

extension OpenedNetwork {
  /// A JSON object that describes an element near a point. It includes the members that are needed
  /// to start a trace at the element.
  fileprivate func describe(
    _ found: UtilityNetwork.NearElement, _ foundPoint: SIMD2<Double>,
    _ requestedPoint: SIMD2<Double>
  ) -> JSONObject {
    let description = network.describe(found.element)
    let isEdge = network.isEdge(found.element)
    var object = JSONObject()
    // Does not use `name(of:)`, which escapes characters for messages.
    let reference = "\(description.sourceName):\(description.globalID)"
    object.add("reference", reference)
    object.add("source", description.sourceName)
    object.add("id", description.globalID)
    object.add("assetGroup", description.assetGroupName)
    object.add("assetType", description.assetTypeName)
    object.add("categories", texts: description.categories)
    object.add("isEdge", isEdge)
    object.add(
      "distance", Geodesic(.wgs84).inverse(from: requestedPoint, to: foundPoint).distance)
    object.add("at", list: [foundPoint.x.description, foundPoint.y.description])
    if isEdge {
      object.add(
        "fraction", network.fraction(along: found.element, nearestTo: found.point))
      // A trace that starts along an edge needs the point in the network's coordinates.
      let tolerance = (spatialReference ?? .wgs84).isGeographic ? 1e-7 : 0.01
      object.add("start", "@\(found.point.x),\(found.point.y),\(tolerance)")
    } else {
      object.add("start", reference)
    }
    object.add(
      "terminals",
      description.terminals.map { terminal in
        var object = JSONObject()
        object.add("id", terminal.id)
        object.add("name", terminal.name)
        return object
      })
    return object
  }
}
