import PlumbCore
import PlumbFeeds
import PlumbGDAL
import PlumbIO
import PlumbSources

extension VectorListing {
  /// The maximum number of features to read. If a file has more, its number of features is unknown.
  private static let readLimit = 1 << 16

  /// Lists the layer of a file that Plumb reads without GDAL. Such a file is an Esri feature set,
  /// Parquet, or delimited text that is recognized by its content. It may also be one of these formats, or
  /// GeoJSON, compressed with gzip.
  ///
  /// - Returns: nil if the file has no features with shapes, or cannot be read.
  init?(reading path: String, access: DocumentAccess) {
    var options = FeatureInput.Options(path: path)
    (options.access, options.needsFields) = (access, true)
    guard FileKind(path: path) == .file || FeatureFile.isRemoteTable(path),
      let input = try? FeatureInput.open(options)
    else { return nil }
    var (count, isComplete) = (0, false)
    var shapes: [Geometry] = []
    do {
      while count < Self.readLimit {
        guard let batch = try input.next(limit: 4096) else {
          isComplete = true
          break
        }
        count += batch.features.count
        if shapes.count < 1000 {
          shapes += batch.features.flatMap { $0.geometry.map { [$0] } ?? $0.collection }
        }
      }
    } catch {
      return nil
    }
    guard !shapes.isEmpty else { return nil }
    let driver =
      input.isColumnar
      ? "Parquet"
      : FeatureFile.isEsri(path) ? "ESRIJSON" : input.itemName == "row" ? "CSV" : "GeoJSON"
    self.init(
      driver: driver,
      layer: Layer(
        name: Self.name(of: path), shapes: shapes,
        featureCount: isComplete ? count : input.source.featureCount,
        reference: input.source.spatialReference?.definition,
        fields: input.source.fields.map(\.name)))
  }

  /// Lists a file with a single line for a simulated walk. Such a file contains an EsriJSON
  /// polyline, which OGR does not open.
  ///
  /// - Returns: nil for other files.
  init?(lineAt path: String) {
    guard DocumentFile.startsLikeObject(path: path),
      let line = try? SimulatedLocationSource.line(path: path)
    else { return nil }
    self.init(
      driver: "ESRIJSON",
      layer: Layer(
        name: Self.name(of: path), shapes: [.polyline(line)], featureCount: 1,
        reference: line.spatialReference?.definition, fields: []))
  }

  /// The file's name up to its first dot.
  private static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    return file.split(separator: ".").first.map(String.init) ?? String(file)
  }
}

extension VectorListing.Layer {
  fileprivate init(
    name: String, shapes: [Geometry], featureCount: Int?, reference: String?, fields: [String]
  ) {
    var (kinds, types): (Set<VectorListing.Kind>, Set<String>) = ([], [])
    for shape in shapes {
      let (kind, type): (VectorListing.Kind, String) =
        switch shape {
        case .point: (.points, "Point")
        case .multipoint: (.points, "Multi Point")
        case .polyline(let line):
          (.lines, line.partEnds.count > 1 ? "Multi Line String" : "Line String")
        case .polygon, .envelope: (.areas, "Polygon")
        }
      kinds.insert(kind)
      types.insert(type)
    }
    let type = types.count > 1 ? "Unknown (any)" : types.first ?? "None"
    self.init(
      name: name, kinds: kinds, geometryType: type, featureCount: featureCount,
      reference: reference, fields: fields)
  }
}
