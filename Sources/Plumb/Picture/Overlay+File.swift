import PlumbCore
import PlumbDocuments
import PlumbDrawing
import PlumbFeeds
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

extension Overlay {
  /// Reads a file that `identify`, `buffer`, `trace` or `monitor` wrote, or any file of features,
  /// points or locations. The symbols depend on the contents.
  ///
  /// Features with a column `role` are drawn as elements of a trace. Features with the columns
  /// `type` and `monitor` are drawn as events, and features with `Pixel.Type` as cells. Locations
  /// with times are drawn as tracks. Other features have the colour with the index `number`.
  ///
  /// - Throws: an error of one line that names the file.
  public static func read(
    _ path: String, number: Int = 0, access: DocumentAccess = .folder
  ) throws -> Overlay {
    if let lines = try ResultLines(path: path) { return try lines.overlay }
    if let track = try track(path) { return track }
    let input = try FeatureInput.open(
      FeatureInput.Options(path: path, access: access, needsFields: true))
    let reader = FeatureOverlay(fields: input.source.fields, number: number)
    var overlay = Overlay(Map.title(of: path), reference: input.source.spatialReference)
    while let batch = try input.next(limit: 4096) {
      for feature in batch.features { reader.add(feature, to: &overlay) }
    }
    return overlay
  }

  /// Returns the tracks of moving entities in a file whose rows have a time and a point; nil for
  /// other files.
  private static func track(_ path: String) throws -> Overlay? {
    let ending = path.lowercased()
    guard [".csv", ".tsv", ".gpx", ".nmea", ".txt"].contains(where: ending.hasSuffix),
      FileKind(path: path) == .file
    else { return nil }
    // Other files are read as features, and the reader of features reports their errors.
    guard let feed = try? LocationFeed(path, attributes: false),
      let first = (try? feed.next(limit: 65_536)) ?? nil, first.count > 0
    else { return nil }
    var lines = TrackLines()
    lines.add(first)
    while let batch = try feed.next(limit: 65_536) { lines.add(batch) }
    return lines.overlay
  }
}

/// Adds features to an overlay by the kind that their columns indicate.
private struct FeatureOverlay {
  private let role, type, isCell: Int?
  private let assetType, source: Int?
  private let isEvent: Bool
  private let number: Int

  init(fields: [Field], number: Int) {
    func index(_ name: String) -> Int? { fields.firstIndex { $0.name == name } }
    (role, type, isCell) = (index("role"), index("type"), index("Pixel.Type"))
    (assetType, source) = (index("assetTypeName"), index("sourceName"))
    isEvent = type != nil && index("monitor") != nil
    self.number = number
  }

  func add(_ feature: Feature, to overlay: inout Overlay) {
    guard let geometry = feature.geometry, !geometry.isEmpty else { return }
    func text(_ index: Int?) -> String {
      guard let index, index < feature.attributes.count,
        case .text(let text) = feature.attributes[index]
      else { return "" }
      return text
    }
    if isEvent, let point = geometry.vertices.xy.first {
      overlay.add(event: text(type), at: point)
    } else if role != nil {
      let asset = text(assetType)
      overlay.add(geometry, role: text(role), type: asset.isEmpty ? text(source) : asset)
    } else if isCell != nil {
      overlay.add(geometry, as: "Raster cell") { _ in ResultSymbols.cell }
    } else {
      let color = ResultSymbols.color(number)
      let label =
        switch geometry {
        case .point, .multipoint: "Points"
        case .polyline: "Lines"
        case .polygon, .envelope: "Areas"
        }
      overlay.add(geometry, as: label) { _ in ResultSymbols.kind(color, of: geometry) }
    }
  }
}

/// Results in a file with one JSON object per line. The objects are the results of `identify`, one
/// for each point, or a monitor's events.
private struct ResultLines {
  private let path: String
  private let file: DocumentFile
  private let isIdentify: Bool

  /// - Returns: nil for other files.
  init?(path: String) throws {
    guard DocumentFile.startsLikeObject(path: path) else { return nil }
    let start = try DocumentFile(startOf: path, limit: 1 << 16)
    let head = String(decoding: start.bytes, as: UTF8.self)
    isIdentify = head.hasPrefix("{\"place\":")
    guard isIdentify || head.hasPrefix("{\"time\":") && head.contains("\"monitor\":") else {
      return nil
    }
    self.path = path
    file = try DocumentFile(path: path, limit: 1 << 30)
  }

  var overlay: Overlay {
    get throws {
      var overlay = Overlay(isIdentify ? "Identified" : "Events", reference: .wgs84)
      for (number, line) in file.bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
        do {
          let tree = try line.withUnsafeBytes { try JSONTree($0) }
          let node = DocumentNode(tree, document: path.printable)
          if isIdentify {
            try add(point: node, to: &overlay)
          } else {
            try add(event: node, to: &overlay)
          }
        } catch {
          throw PlumbError("\(path.printable), line \(number + 1)", error)
        }
      }
      return overlay
    }
  }

  private static func point(of node: DocumentNode) throws -> SIMD2<Double> {
    let (x, y) = (try node.required("x", "a number"), try node.required("y", "a number"))
    return SIMD2(try x.number(), try y.number())
  }

  private func add(event node: DocumentNode, to overlay: inout Overlay) throws {
    overlay.add(
      event: try node.text("type") ?? "",
      at: try Self.point(of: node))
  }

  private func add(point node: DocumentNode, to overlay: inout Overlay) throws {
    let location = try node.required("place", "an object")
    if let crs = try location.text("crs") { overlay.reference = try SpatialReference(crs) }
    let point = try Self.point(of: location)
    overlay.add(.point(Point(x: point.x, y: point.y)), as: "Requested point") { _ in
      ResultSymbols.asked
    }
    var open = try node.elements("results") ?? []
    while let result = open.popLast() {
      open += try result.elements("sublayerResults") ?? []
      for element in try result.elements("geoElements") ?? [] {
        guard let shape = try element.member("geometry") else { continue }
        var text: [UInt8] = []
        shape.tree.append(to: &text)
        guard let geometry = try text.withUnsafeBytes({ try GeoJSONGeometry.decode($0) }) else {
          continue
        }
        if try element.text("type") == "feature" {
          overlay.add(identified: geometry)
        } else {
          overlay.add(geometry, as: "Raster cell") { _ in ResultSymbols.cell }
        }
      }
    }
  }
}
