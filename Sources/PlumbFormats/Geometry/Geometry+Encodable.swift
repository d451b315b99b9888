import PlumbCore
import PlumbIO

extension Geometry: Encodable {
  /// Encodes a GeoJSON geometry object as ``GeoJSONGeometry`` writes it: x before y, in the geometry's
  /// own CRS, which is not included; null if a coordinate is not finite.
  public func encode(to encoder: any Encoder) throws {
    var text = TextBuffer()
    GeoJSONGeometry.append(self, to: &text)
    try EncodableJSON(Array(text.bytes)).encode(to: encoder)
  }
}
