import PlumbCore
import PlumbFeeds
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbSources

/// A description of a file of features, as text or JSON. It lists the layers of the file and the
/// verbs (subcommands of `plumb`) that accept the file.
public struct VectorInfo {
  private let path: String
  private let listing: VectorListing
  private let names: [SourceUse: String]
  /// The readers that accept the file: all readers of features, only the readers of Esri feature
  /// sets, only the readers of points and of features to buffer, or only the simulated walk. The
  /// readers determine the verbs that can use the file.
  private let reader: Reader

  private enum Reader { case any, esri, stream, walk }

  /// - Parameters:
  ///   - path: a file, or another source that GDAL opens.
  ///   - access: the files and hosts that the source may name.
  ///   - names: the names of the uses in the text. A use without a name is described in plain words.
  /// - Returns: nil if the path has no features.
  /// - Throws: if the helper process that reads the file crashes, takes too long or cannot be
  ///   started.
  public init?(
    _ path: String, access: DocumentAccess = .folder, names: [SourceUse: String] = [:]
  ) throws {
    if let listing = try VectorListing.of(path: path, access: access.named) {
      (self.listing, reader) = (listing, .any)
    } else if let listing = VectorListing(reading: path, access: access) {
      self.listing = listing
      reader = listing.driver == "ESRIJSON" ? .esri : .stream
    } else if let listing = VectorListing(lineAt: path) {
      (self.listing, reader) = (listing, .walk)
    } else {
      return nil
    }
    self.path = path.withoutPasswords
    self.names = names
  }

  /// The verbs that can use the file.
  public var uses: [SourceUse] {
    if reader == .walk { return [.simulation] }
    var kinds = listing.layers.reduce(into: Set()) { $0.formUnion($1.kinds) }
    let fields = listing.layers.flatMap(\.fields)
    if reader == .esri {
      return (kinds.contains(.points) ? [.points] : [])
        + [.buffer, kinds.contains(.areas) ? .fences : .bufferedFences, .feature]
    }
    if reader == .stream { return (kinds.contains(.points) ? [.points] : []) + [.buffer] }
    let isTable = kinds.isEmpty
    if isTable, listing.driver == "CSV",
      (try? FeatureInput.delimited(FeatureInput.Options(path: path))) != nil
    {
      kinds = [.points]
    }
    var uses: [SourceUse] = []
    if kinds.contains(.points) { uses.append(.points) }
    if !kinds.isEmpty { uses.append(.buffer) }
    if kinds.contains(.areas) {
      uses.append(.fences)
    } else if !kinds.isEmpty, !isTable {
      uses.append(.bufferedFences)
    }
    let times = Set(LocationColumns.defaultTimes)
    if kinds.contains(.points), fields.contains(where: { times.contains($0.lowercased()) }) {
      uses.append(.feed)
    }
    if kinds == [.lines], listing.driver == "GeoJSON", listing.layers[0].featureCount == 1 {
      uses.append(.simulation)
    }
    uses.append(.feature)
    uses += kinds.isEmpty ? [] : [.mapLayer]
    if kinds.contains(.lines) {
      uses.append(.networkLines)
    } else if kinds.contains(.points) {
      uses.append(.networkPoints)
    } else if isTable {
      uses.append(.networkTable)
    }
    return uses
  }

  private func facts(
    _ layer: VectorListing.Layer
  ) -> [(name: String, value: FieldValue)] {
    // A CRS definition that PROJ does not accept is printed unchanged.
    let reference = layer.reference.map { (try? SpatialReference($0))?.label ?? $0 }
    return [
      ("layer", .text(layer.name)), ("geometry", .text(layer.geometryType)),
      ("features", layer.featureCount.map { .integer(Int64($0)) } ?? .null),
      ("crs", reference.map { .text($0) } ?? .null),
      ("fields", .text(layer.fields.joined(separator: ", "))),
    ]
  }

  /// The description as one JSON object on one line.
  public var json: String {
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(
      members: [
        ("path", .text(path)), ("driver", .text(listing.driver)), ("use", .text(uses.text(names))),
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

  /// The description as text, with lines for the source followed by one line for each layer.
  public var text: String {
    var lines = [
      "path: \(path.printable)", "driver: \(listing.driver)", "use: \(uses.text(names))",
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
