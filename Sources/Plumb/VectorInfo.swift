import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry

/// What a file of features is, for people and for scripts: its layers, and what asks it.
public struct VectorInfo {
  private let path: String
  private let listing: VectorListing

  /// What such a file is good for.
  private static let use =
    "features: identify asks rasters or a map at its points, buffer draws areas round it, and a web "
    + "map shows it as a layer"

  /// - Returns: nil when the path holds no features, or cells.
  public init?(_ path: String, access: DocumentAccess = .folder) {
    guard let listing = VectorListing(path: path, access: access.named) else { return nil }
    self.path = path
    self.listing = listing
  }

  private func facts(
    _ layer: VectorListing.Layer
  ) -> [(name: String, value: FieldValue)] {
    let reference = layer.reference.flatMap { try? SpatialReference($0) }
    return [
      ("layer", .text(layer.name)), ("geometry", .text(layer.geometryType)),
      ("features", layer.featureCount.map { .integer(Int64($0)) } ?? .null),
      ("crs", reference.map { .text($0.label) } ?? .null),
      ("fields", .text(layer.fields.joined(separator: ", "))),
    ]
  }

  /// One object on one line.
  public var json: String {
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(
      members: [
        ("path", .text(path)), ("driver", .text(listing.driver)), ("use", .text(Self.use)),
      ], to: &text)
    text += Array(",\"layers\":[".utf8)
    for (index, layer) in listing.layers.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(UInt8(ascii: "{"))
      GeoJSONRowText.append(members: facts(layer).map { ($0.name, $0.value) }, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text += Array("]}".utf8)
    return String(decoding: text, as: UTF8.self)
  }

  public var text: String {
    var lines = [
      "path: \(path.printable)", "driver: \(listing.driver)", "use: \(Self.use)",
      "layers: \(listing.layers.count)",
    ]
    for layer in listing.layers {
      let parts = facts(layer).dropFirst().map {
        "\($0.name) \($0.value == .null ? "not known" : $0.value.text.printable)"
      }
      lines.append("layer \(layer.name.printable): " + parts.joined(separator: "; "))
    }
    return lines.joined(separator: "\n")
  }
}
