/// The documentation page that lists all parameters.
extension RESTOperation {
  /// The expected content of `Sources/Plumb/Plumb.docc/rest.md`.
  static var page: String {
    var text = """
      # Parameters of ArcGIS REST

      Which parameters of each operation count, which are ignored, and which are errors.

      ## Overview

      This page is generated from the table that the server checks requests against; <doc:server> describes the
      services. Every address takes `f` and `token`, and refuses `callback`. For each operation the
      parameters are those that Esri documents, under names in any case, in the address or in a body:

      - One that **counts** does what Esri says, unless <doc:server> says otherwise.
      - One that is **ignored** may have any value: it changes neither rows nor values nor pixels here.
      - One that is **refused** would change rows, values or pixels. It is accepted when it is empty, an
        empty list or object, or the value in the table; anything else is an error that names it.
      - Any other is ignored.


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
    if !counting.isEmpty { lines.append("| \(counting.joined(separator: ", ")) | counts | |") }
    for parameter in parameters {
      switch parameter.use {
      case .used: break
      case .ignored: lines.append("| `\(parameter.name)` | ignored | \(parameter.reason) |")
      case .refused(let usual):
        let accepted = usual.advice.map { " but `\($0)`" } ?? ""
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
