/// The documentation page that lists all parameters.
extension RESTOperation {
  /// The expected content of `Sources/Plumb/Plumb.docc/rest.md`.
  static var page: String {
    var text = """
      # Parameters of ArcGIS REST

      The supported, ignored and refused parameters of each operation.

      ## Overview

      This page is generated from the table that the server checks requests against; <doc:server> describes the
      services. Every address accepts `f` and `token`, and refuses `callback`. The tables list the
      parameters that Esri documents for each operation. The case of names is ignored, and parameters
      may be in the query string or in the body:

      - A **supported** parameter does what Esri documents, unless <doc:server> says otherwise.
      - An **ignored** parameter may have any value: it does not change rows, values or pixels.
      - A **refused** parameter would change rows, values or pixels. It is accepted only if it is
        empty, an empty list or object, or the value in the table. Any other value is an error that
        names the parameter.
      - All other parameters are ignored.


      """
    var groups: [(operations: [RESTOperation], parameters: [RESTParameter])] = []
    for operation in allCases {
      let names = operation.parameters.map(\.name)
      if let known = groups.firstIndex(where: { $0.parameters.map(\.name) == names }) {
        groups[known].operations.append(operation)
      } else {
        groups.append(([operation], operation.parameters))
      }
    }
    text += groups.map { section($0.operations, $0.parameters) }.joined(separator: "\n")
    return text
  }

  private static func section(
    _ operations: [RESTOperation], _ parameters: [RESTParameter]
  ) -> String {
    var lines = ["### " + operations.map(\.title).joined(separator: ", "), ""]
    lines += operations.map { "`\($0.rawValue)`  " }
    lines += ["", "| parameter | | |", "|---|---|---|"]
    let counting = parameters.filter(\.isUsed).map { "`\($0.name)`" }
    if !counting.isEmpty { lines.append("| \(counting.joined(separator: ", ")) | supported | |") }
    for parameter in parameters {
      switch parameter.use {
      case .used: break
      case .ignored: lines.append("| `\(parameter.name)` | ignored | \(parameter.reason) |")
      case .refused(let usual):
        let accepted = usual.advice.map { " except `\($0)`" } ?? ""
        lines.append("| `\(parameter.name)` | refused\(accepted) | \(parameter.reason) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name of the operation in headings.
  private var title: String {
    switch self {
    case .mapExport: "Export"
    case .mapIdentify: "Identify"
    case .mapLegend: "Legend"
    case .mapLayers: "All layers of a map service"
    case .featureLayers: "All layers of a feature service"
    case .mapQuery: "Query of a map service"
    case .featureQuery: "Query of a feature service"
    case .networkQuery: "of a network"
    case .dataElements: "Data elements"
    case .trace: "Trace"
    case .associations: "Associations"
    case .imageIdentify: "Identify of an image service"
    case .imageSamples: "Samples"
    case .imageStatistics: "Statistics and histograms of an area"
    case .imageHistograms: "Histograms of an area"
    case .imageExport: "Export of an image"
    case .imageClasses: "Raster attribute table"
    case .buffer: "Buffer"
    case .project: "Project"
    case .simplify: "Simplify"
    case .union: "Union"
    case .intersect: "Intersect"
    case .difference: "Difference"
    case .distance: "Distance"
    case .lengths: "Lengths"
    case .areasAndLengths: "Areas and lengths"
    case .relation: "Relation"
    case .densify: "Densify"
    case .generalize: "Generalize"
    case .convexHull: "Convex hull"
    case .labelPoints: "Label points"
    }
  }
}
