import PlumbCore
import PlumbIO

extension Geometry: Encodable {
  /// Encodes the geometry as a GeoJSON geometry object, in the same format as ``GeoJSONGeometry``.
  /// x precedes y. The coordinates are in the geometry's CRS, which is not included. The value is
  /// null if a coordinate is not finite.
  public func encode(to encoder: any Encoder) throws {
    var text = TextBuffer()
    GeoJSONGeometry.append(self, to: &text)
    try EncodableJSON(Array(text.bytes)).encode(to: encoder)
  }
}
