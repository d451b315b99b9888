// The cell of a raster that contains a point: its attributes, its position in the grid and its corner.
import Foundation
import Plumb

/// The result of a raster layer at a point, as lines; nil if there is no cell.
func callout(of layer: RasterLayer, at point: Point) throws -> String? {
  let result = try Map(layers: [layer]).identifyLayer(layer.id, at: point)
  guard case .cell(let cell)? = result.geoElements.first else { return nil }
  // The stored value, and `Scaled_0` with scale and offset; `null` if the cell has no value.
  var lines = cell.attributes.map { "  \($0.name): \($0.value)" }
  lines.append("  Row \(cell.row), column \(cell.column)")
  // The outline is in the CRS of the point, regardless of the raster's CRS.
  if let corner = cell.footprint.first {
    lines.append("  Lower left corner: \(degrees(corner.x)), \(degrees(corner.y))")
  }
  return lines.joined(separator: "\n")
}

func degrees(_ value: Double) -> String { String(format: "%.6f", value) }

do {
  let raster = try Raster.open("rasters/evi_cape_town.tif")
  let layer = RasterLayer(LayerProperties(id: "evi", name: "EVI"), raster: raster)
  // x is always the longitude: points on land, at sea and in Paris.
  for (x, y) in [(18.6, -34.1), (18.65, -34.25), (2.35, 48.86)] {
    let point = Point(x: x, y: y, spatialReference: .wgs84)
    print("\(layer.name) at \(x), \(y)")
    print(try callout(of: layer, at: point) ?? "  not on the raster")
  }
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
