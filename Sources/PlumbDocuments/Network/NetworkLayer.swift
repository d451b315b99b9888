import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbNetwork
import PlumbSources

/// A layer whose features belong to a network, and its name in messages.
final class NetworkLayer {
  package let reader: FeatureFile
  /// The layer's node in the document.
  package let node: DocumentNode
  /// The name in messages, such as `town.gpkg, layer pipes`.
  package let label: String

  /// - Parameter node: an object with `path` and, if the file has several layers, `layer`.
  /// - Throws: a one-line error with the position in the document.
  package init(_ node: DocumentNode, folder: DocumentFolder) throws {
    self.node = node
    let point = try Self.fault { try node.required("path", "a string") }
    let text = try Self.fault { try point.text() }
    let layer = try Self.fault { try node.text("layer") }
    do {
      let isTable = DocumentFolder.isRemoteTable(text)
      if !isTable, RemoteSession.isAddress(text), folder.session.allows(text),
        let address = ServiceAddress(text)
      {
        let table = RemoteFeatureTable(
          address, session: folder.session, access: folder.boundary == nil ? .anywhere : .folder
        ) { $0 }
        reader = try FeatureFile(table, path: address.text)
        // A network that is read only in part would lead to wrong results.
        if let fault = reader.faults.warning { throw PlumbError("\(address.shown): \(fault)") }
        label = text.printable
        return
      }
      let path = isTable ? text : try folder.path(of: text)
      let access =
        isTable
        ? try folder.access(toURL: text, driver: "Parquet")
        : try folder.access(to: path, as: .vector)
      reader = try FeatureFile(path: path, layer: layer, access: access)
    } catch {
      throw PlumbError(point.fault(PlumbError(error).inDocument))
    }
    label = text.printable + (layer.map { ", layer \($0.printable)" } ?? "")
  }

  /// Converts a document's error to an error for the user.
  package static func fault<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as DocumentFault {
      throw PlumbError(error)
    }
  }

  // MARK: Fields

  /// Returns the index of a field. An exact match takes precedence over a case-insensitive match.
  package func field(_ name: String) -> Int? {
    reader.fields.firstIndex { $0.name == name }
      ?? reader.fields.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  /// - Throws: an error with similar names, if there is no such field.
  package func field(_ name: String, for node: DocumentNode) throws(PlumbError) -> Int {
    if let index = field(name) { return index }
    throw PlumbError(
      node.fault(
        "\(label) has no field \(name.printable)"
          + NameSuggestions.advice(name, among: reader.fields.map(\.name))
      ).message)
  }

  // MARK: Features

  /// Returns warnings about geometries that could not be read. Their features have no geometry.
  ///
  /// - Throws: the warning as an error in strict mode.
  func shapeFaults(isStrict: Bool) throws(PlumbError) -> [String] {
    guard let fault = reader.faults.warning else { return [] }
    if isStrict { throw PlumbError("\(label): \(fault)") }
    return ["\(label): \(fault)"]
  }

  /// Visits all features, counted from 1, in the layer's order. Errors are prefixed with the layer and
  /// the feature.
  package func forEach(
    _ progress: (Int) -> Void = { _ in },
    _ body: (_ feature: Feature, _ number: Int64, _ row: Int) throws -> Void
  ) throws {
    try reader.restart(in: nil)
    var row = 0
    do {
      while let (features, numbers) = try reader.nextNumbered(limit: 4096) {
        for (feature, number) in zip(features, numbers) {
          row += 1
          do {
            try body(feature, number, row)
          } catch {
            throw PlumbError("feature \(row)", error, context: FailureContext(row: row))
          }
        }
        progress(features.count)
      }
    } catch {
      var error = PlumbError(error)
      error.messageTemplate = "\(label), \(error.messageTemplate)"
      throw error
    }
  }
}

extension PlumbError {
  /// The error, worded for a network document instead of a map.
  package var inDocument: PlumbError {
    var error = self
    error.messageTemplate = messageTemplate.map {
      $0.replacing("the map's folder", with: "the document's folder")
    }
    return error
  }
}

/// Transforms the points of layers to the network's CRS.
struct NetworkProjection {
  package let reference: SpatialReference?
  private let transformation: Transformation?

  /// Creates a projection that leaves points unchanged.
  package init() { (reference, transformation) = (nil, nil) }

  /// - Throws: if PROJ has no transformation between the CRSs.
  package init(from source: SpatialReference?, to target: SpatialReference?) throws(GeometryError) {
    reference = target
    if let source, let target, !source.isEquivalent(to: target) {
      transformation = try Transformation(from: source, to: target)
    } else {
      transformation = nil
    }
  }

  /// The location of a point; nil for a feature without a geometry or whose geometry is not a point.
  package func point(of geometry: Geometry?) throws(PlumbError) -> SIMD2<Double>? {
    switch geometry {
    case .point(let point) where !point.isEmpty: return try projected([SIMD2(point.x, point.y)])[0]
    case .multipoint(let points) where points.vertices.count == 1:
      return try projected(points.vertices.xy)[0]
    case .multipoint(let points) where points.vertices.count > 1:
      throw PlumbError("it has \(points.vertices.count) points: a junction has one point")
    default: return nil
    }
  }

  /// The vertices of a line. Parts are concatenated if each starts where the previous one ends.
  ///
  /// - Returns: the vertices; empty for a feature without a geometry.
  /// - Throws: for disjoint parts, which cannot be one edge, and for other types of geometries.
  package func chain(of geometry: Geometry?) throws(PlumbError) -> [SIMD2<Double>] {
    guard let geometry, !geometry.isEmpty else { return [] }
    guard case .polyline(let line) = geometry else {
      throw PlumbError("its shape is not a line: an edge needs a line")
    }
    var chain: [SIMD2<Double>] = []
    for part in line.parts where !part.isEmpty {
      let vertices = line.vertices.xy[part]
      guard let last = chain.last, let first = vertices.first else {
        chain += vertices
        continue
      }
      guard last == first else {
        throw PlumbError(
          "its line has \(line.parts.count) separate parts: make each part a feature")
      }
      chain += vertices.dropFirst()
    }
    return try projected(chain)
  }

  package func projected(_ points: [SIMD2<Double>]) throws(PlumbError) -> [SIMD2<Double>] {
    guard let transformation else { return points }
    var (x, y) = (points.map(\.x), points.map(\.y))
    transformation.apply(x: &x, y: &y, count: points.count)
    if let bad = x.indices.first(where: { !x[$0].isFinite || !y[$0].isFinite }) {
      throw PlumbError(
        "\(points[bad].x), \(points[bad].y) cannot be transformed to \(reference?.label ?? "")")
    }
    return zip(x, y).map { SIMD2($0, $1) }
  }
}

extension FieldValue {
  /// The value as an id; nil if the value is missing.
  package var identifier: String? {
    switch self {
    case .text(let text), .json(let text): text.isEmpty ? nil : text
    case .integer(let integer): String(integer)
    case .real(let real):
      Int64(exactly: real).map { String($0) } ?? (real.isFinite ? String(real) : nil)
    case .boolean, .null: nil
    }
  }

  /// The value as a whole number; strings are parsed.
  var wholeNumber: Int? {
    switch self {
    case .integer(let integer): Int(exactly: integer)
    case .real(let real): Int(exactly: real)
    case .text(let text), .json(let text): Int(text)
    case .boolean(let flag): flag ? 1 : 0
    case .null: nil
    }
  }

  /// The value for a network attribute: strings are parsed if the attribute is numeric.
  package func value(for type: NetworkAttribute.DataType) -> FieldValue {
    guard type != .text else {
      return identifier.map { .text($0) } ?? (self == .null || self == .text("") ? .null : self)
    }
    switch self {
    // Numbers in a column of numbers and strings are stored as JSON.
    case .text(let text), .json(let text):
      if text.isEmpty { return .null }
      if let integer = Int64(text) { return .integer(integer) }
      return Double(text).map { .real($0) } ?? self
    default: return self
    }
  }
}
