import PlumbCore
import PlumbIO

extension Geometry: Encodable {
  /// Encodes a GeoJSON geometry object, the one that ``GeoJSONGeometry`` writes: x before y, in the
  /// geometry's own reference, which is not named; null where a coordinate is not finite.
  public func encode(to encoder: any Encoder) throws {
    var text = TextBuffer()
    GeoJSONGeometry.append(self, to: &text)
    try EncodableJSON(Array(text.bytes)).encode(to: encoder)
  }
}
