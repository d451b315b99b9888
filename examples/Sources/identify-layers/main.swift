// The elements of a map's layers around a point, with layers nested in group layers.
import Foundation
import Plumb

/// A line for a layer and for each of its elements, then those of its sublayers.
func report(of result: IdentifyLayerResult, indent: String = "") -> [String] {
  let content = result.layerContent
  var lines = ["\(indent)\(content.name) (\(content.type)): \(result.elementCount)"]
  // A layer that fails has an error in its own result; the others have results.
  if let error = result.error { lines.append("\(indent)  \(error)") }
  for element in result.geoElements {
    switch element {
    case .feature(let feature):
      // The first field with this name, regardless of case.
      let name = feature["name"]?.stringValue ?? "without a name"
      lines.append("\(indent)  \(name), \(Int(feature.distance.rounded())) m away")
    case .cell(let cell):
      lines.append("\(indent)  \(cell["Class_0"] ?? cell["Band_0"] ?? .null)")
    }
  }
  return lines + result.sublayerResults.flatMap { report(of: $0, indent: indent + "  ") }
}

do {
  let map = try Map.open(path: "rasters/cape.json")
  let stellenbosch = Point(x: 18.86, y: -33.93, spatialReference: .wgs84)
  // With a scale, symbols have sizes, and layers that are not drawn at that scale are hidden.
  let options = IdentifyOptions(
    tolerance: .metres(2000), scale: 50_000, maximumResultsPerLayer: 3)
  // The topmost layer comes first.
  let results = try map.identifyLayers(at: stellenbosch, options)
  for result in results { print(report(of: result).joined(separator: "\n")) }
  let count = results.reduce(0) { $0 + $1.elementCount }
  print("\(count) elements in \(results.count) layers")
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
