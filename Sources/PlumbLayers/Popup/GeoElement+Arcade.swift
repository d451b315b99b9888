import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbRaster

extension GeoElement {
  var attributeNames: [String] {
    switch self {
    case .feature(let feature): feature.fields.map(\.name)
    case .cell(let cell): cell.attributes.map(\.name)
    }
  }

  /// The element as the `$feature` of expressions; a cell has no shape.
  ///
  /// - Parameter fields: the fields of `attributeNames`.
  func arcadeFeature(_ fields: ArcadeFields) -> ArcadeFeature {
    switch self {
    case .feature(let feature):
      ArcadeFeature(
        fields: fields, attributes: feature.feature.attributes.map { ArcadeValue($0) },
        geometry: feature.geometry)
    case .cell(let cell):
      ArcadeFeature(fields: fields, attributes: cell.attributes.map(\.value.arcade))
    }
  }
}

extension RasterCell.Value {
  fileprivate var arcade: ArcadeValue {
    switch self {
    case .null: .null
    case .text(let text): .text(text)
    case .real(let real): .number(real)
    case .cell(let value):
      switch value {
      case .signed(let integer): .number(Double(integer))
      case .unsigned(let integer): .number(Double(integer))
      // The number with the displayed digits. A float converted directly to a double would have
      // more digits.
      case .float32(let real): .number(Double(real.description) ?? Double(real))
      case .float64(let real): .number(real)
      default: .text(value.description)
      }
    }
  }
}
