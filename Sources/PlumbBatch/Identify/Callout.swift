import PlumbCore
import PlumbLayers
import PlumbRaster

/// The results at one point as readable text, which contains the text of a map callout for each
/// raster.
package struct Callout {
  private let point: QueryPoint
  private let rasters: [Raster]
  private let results: [IdentifyLayerResult]
  private let names: [Setting: String]

  /// - Parameter names: the names of settings in the text.
  package init(
    point: QueryPoint, rasters: [Raster], results: [IdentifyLayerResult],
    names: [Setting: String] = [:]
  ) {
    self.point = point
    self.names = names
    self.rasters = rasters
    self.results = results
  }

  package var text: String {
    var lines = [
      "\(point.x), \(point.y)" + (point.reference.map { " (\($0))" } ?? "")
    ]
    for raster in rasters {
      lines.append(raster.name.printable)
      guard let result = results.first(where: { $0.layerContent.name == raster.name }) else {
        lines.append("  Status: outside")
        continue
      }
      if let error = result.error {
        lines.append("  Error: \(error.code): \(error.line.text(names))")
      }
      for case .cell(let cell) in result.geoElements {
        lines += describe(cell, isMosaic: raster.isMosaic)
      }
    }
    return lines.joined(separator: "\n")
  }

  private func describe(_ cell: RasterCell, isMosaic: Bool) -> [String] {
    var lines = cell.attributes.map { attribute in
      "  \(attribute.name): \(attribute.value.text)"
    }
    if let x = cell.footprint.map(\.x).min(), let y = cell.footprint.map(\.y).min() {
      lines.append("  X: \(x)")
      lines.append("  Y: \(y)")
    }
    lines.append("  Row: \(cell.row)")
    lines.append("  Column: \(cell.column)")
    lines.append("  Status: " + cell.status.map(\.name).joined(separator: ", "))
    if isMosaic { lines.append("  File: " + cell.file.printable) }
    return lines
  }
}

extension RasterCell.Value {
  package var text: String {
    switch self {
    case .null: "null"
    case .text(let value): value.printable
    case .cell(let value): value.description
    case .real(let value): value.description
    }
  }
}
