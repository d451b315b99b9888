import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

/// A remote map service with its sublayers, which share the responses of the operation `identify`.
///
/// Must be used by one thread at a time, like the layers of the service's map.
final class RemoteMapService {
  let session: RemoteSession
  let address: ServiceAddress
  let access: DocumentAccess
  /// The entries of the service's list of sublayers.
  let nodes: [DocumentNode]
  /// The detailed metadata of the sublayers, by id.
  private let details: [Int64: DocumentNode]
  /// The CRS of the coordinates.
  let reference: SpatialReference?
  let referenceText: String?
  let attribution: String?
  private let maximumRecords: Int
  /// The tables of the feature sublayers, by sublayer id. These sublayers are identified together.
  /// The references are weak, because each layer owns its table, and each table owns the service.
  private var weakTables: [Int64: () -> RemoteSublayerTable?] = [:]
  private var tables: [Int64: RemoteSublayerTable] { weakTables.compactMapValues { $0() } }
  /// The last response, which all sublayers use if the response is recent.
  private var last: CachedResponse?

  private struct CachedResponse {
    let windows: [Envelope]
    let found: [Int64: [Feature]]
    let failures: [Int64: String]
    let time = ContinuousClock.now
  }

  private static let maximumPoints = 500
  private static let maximumPending = 8
  /// The maximum width and height in pixels of the display in requests.
  private static let maximumPixels = 10_000.0

  /// Reads the service's metadata.
  ///
  /// - Throws: if the metadata cannot be read.
  init(
    _ address: ServiceAddress, session: RemoteSession, access: DocumentAccess
  ) throws {
    (self.session, self.address, self.access) = (session, address, access)
    let layers = session.begin(address.appending("layers"), [("f", "json")])
    let root = try session.object(at: address)
    attribution = root.attribution
    maximumRecords = Int(
      min(max(try root.member("maxRecordCount")?.integer() ?? 1000, 1), 1 << 20))
    let rootReference = try root.member("spatialReference")
    reference = try rootReference?.spatialReference(access)
    var text: [UInt8] = []
    if reference != nil { rootReference?.tree.append(to: &text) }
    referenceText = text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    let listed = try root.required("layers", "a list").elements()
    // Old services have no combined list of layers, and a service with many layers may fail to
    // create the list. Layers that are missing from the list are requested individually, so that a
    // failure affects only one layer.
    let all =
      (try? session.object(of: layers)).map {
        DocumentNode($0.tree, document: address.appending("layers").shown)
      }
    var known: [Int64: DocumentNode] = [:]
    for node in ((try? all?.elements("layers")) ?? nil) ?? [] {
      if let id = (try? node.member("id")?.integer()) ?? nil { known[id] = node }
    }
    nodes = listed
    self.details = known
  }

  /// Returns the metadata of a sublayer.
  func details(of id: Int64) throws(PlumbError) -> DocumentNode {
    if let known = details[id] { return known }
    return try session.object(at: address.appending("\(id)"))
  }

  func table(_ id: Int64, _ info: RemoteLayerInfo) -> RemoteSublayerTable {
    let table = RemoteSublayerTable(self, id: id, info: info)
    weakTables[id] = { [weak table] in table }
    return table
  }

  // MARK: Features

  /// Returns the features of a sublayer that may intersect windows in the service's CRS.
  func features(of id: Int64, in windows: [Envelope]) throws -> [Feature] {
    let isOld = last.map { ContinuousClock.now - $0.time > .seconds(2) } ?? true
    if isOld || last?.windows != windows || last?.found[id] == nil {
      var ids = tables.filter { $0.value.isShown }.map(\.key)
      if !ids.contains(id) { ids.append(id) }
      try identify(windows, ids.sorted())
    }
    if let failure = last?.failures[id] {
      throw session.fault(failure, at: address, .readError)
    }
    return last?.found[id] ?? []
  }

  private func identify(_ windows: [Envelope], _ ids: [Int64]) throws {
    var found = Dictionary(uniqueKeysWithValues: ids.map { ($0, [Feature]()) })
    var failures: [Int64: String] = [:]
    var waiting = stride(from: 0, to: windows.count, by: Self.maximumPoints).map { start in
      windows[start..<min(windows.count, start + Self.maximumPoints)]
    }
    var seen: [Int64: Set<Int64>] = [:]
    while !waiting.isEmpty {
      let group = waiting.prefix(Self.maximumPending)
      let pending = try group.map { try begin($0, ids) }
      var further: [ArraySlice<Envelope>] = []
      for (part, one) in zip(group, pending) {
        let response = try RemoteIdentifyResponse(session.object(of: one).tree, at: address)
        failures.merge(response.failures) { first, _ in first }
        if response.isTruncated || response.results.count >= maximumRecords {
          guard part.count > 1 else {
            throw session.fault(
              "the service truncates its response after \(response.results.count) results",
              at: address, .limit)
          }
          let middle = (part.startIndex + part.endIndex) / 2
          further += [part[part.startIndex..<middle], part[middle..<part.endIndex]]
          continue
        }
        for result in response.results {
          guard let table = tables[result.layer], found[result.layer] != nil else { continue }
          let feature = try result.feature(table.info, reference, access)
          if let number = feature.id,
            !seen[result.layer, default: []].insert(number).inserted
          {
            continue
          }
          found[result.layer]?.append(feature)
        }
      }
      waiting = further + waiting.dropFirst(group.count)
    }
    // The service returns results topmost first.
    last = CachedResponse(
      windows: windows, found: found.mapValues { $0.reversed() }, failures: failures)
  }

  private func begin(
    _ windows: ArraySlice<Envelope>, _ ids: [Int64]
  ) throws -> RemoteSession.Pending {
    let centres = windows.map {
      SIMD2(($0.xMin + $0.xMax) / 2, ($0.yMin + $0.yMax) / 2)
    }
    // The radius of a circle around the largest box.
    let distance =
      windows.map { box in
        let half = SIMD2(box.xMax - box.xMin, box.yMax - box.yMin) / 2
        return (half.x * half.x + half.y * half.y).squareRoot()
      }.max() ?? 0
    var bounds = Geometry.multipoint(Multipoint(VertexList(centres))).envelope
    let span = max(bounds.xMax - bounds.xMin, bounds.yMax - bounds.yMin)
    let magnitude = max(bounds.xMax.magnitude, bounds.yMax.magnitude, 1)
    let side = max(span / Self.maximumPixels, distance, magnitude * 1e-9)
    let margin = max(side * 10, span * 0.01)
    bounds = Envelope(
      xMin: bounds.xMin - margin, yMin: bounds.yMin - margin, xMax: bounds.xMax + margin,
      yMax: bounds.yMax + margin)
    let width = ((bounds.xMax - bounds.xMin) / side).rounded(.up)
    let height = ((bounds.yMax - bounds.yMin) / side).rounded(.up)
    let geometry: Geometry =
      centres.count == 1
      ? .point(Point(x: centres[0].x, y: centres[0].y))
      : .multipoint(Multipoint(VertexList(centres)))
    return try begin(
      geometry, tolerance: distance > 0 ? 2 : 0, bounds, width: Int(width), height: Int(height), ids
    )
  }

  private func begin(
    _ geometry: Geometry, tolerance: Int, _ bounds: Envelope, width: Int, height: Int,
    _ ids: [Int64]
  ) throws -> RemoteSession.Pending {
    let list = ids.map { String($0) }.joined(separator: ",")
    var parameters: [(name: String, value: String)] = [
      ("f", "json"), ("geometry", try EsriJSONGeometry.encode(geometry)),
      (
        "geometryType",
        { if case .point = geometry { "esriGeometryPoint" } else { "esriGeometryMultipoint" } }()
      ),
      ("layers", "all:" + list), ("tolerance", "\(tolerance)"),
      ("mapExtent", "\(bounds.xMin),\(bounds.yMin),\(bounds.xMax),\(bounds.yMax)"),
      ("imageDisplay", "\(max(1, width)),\(max(1, height)),96"), ("returnGeometry", "true"),
      ("returnFieldName", "true"), ("returnUnformattedValues", "true"),
    ]
    if let referenceText { parameters.append(("sr", referenceText)) }
    let conditions = tables.filter { ids.contains($0.key) && $0.value.condition != nil }
    if !conditions.isEmpty {
      var object = JSONObject()
      for (id, table) in conditions.sorted(by: { $0.key < $1.key }) {
        object.add("\(id)", table.condition)
      }
      parameters.append(("layerDefs", object.text))
    }
    return session.begin(
      address.appending("identify"), parameters, maximumBytes: RemoteSession.dataBytes)
  }

  // MARK: Cells

  /// Returns the cell values of a sublayer at points, with one request per point.
  func cells(
    of id: Int64, at points: [SIMD2<Double>]
  ) throws -> [Result<[RemoteIdentifyResponse.Item], PlumbError>] {
    var results: [Result<[RemoteIdentifyResponse.Item], PlumbError>] = []
    for start in stride(from: 0, to: points.count, by: Self.maximumPending) {
      let part = points[start..<min(points.count, start + Self.maximumPending)]
      let pending = try part.map { point in
        try begin([Envelope(xMin: point.x, yMin: point.y, xMax: point.x, yMax: point.y)], [id])
      }
      for one in pending {
        do {
          let response = try RemoteIdentifyResponse(session.object(of: one).tree, at: address)
          if let failure = response.failures[id] {
            throw session.fault(failure, at: address, .readError)
          }
          results.append(.success(response.results.filter { $0.layer == id }))
        } catch {
          results.append(.failure(PlumbError(error)))
        }
      }
    }
    return results
  }
}

/// The features of a sublayer of a map service, found by one `identify` request for all its sublayers.
final class RemoteSublayerTable: FeatureTable {
  private let service: RemoteMapService
  private let id: Int64
  let info: RemoteLayerInfo
  private(set) var condition: String?
  /// Returns whether the table's layer is visible, and is therefore queried with the other layers.
  /// Set by the creator of the layer.
  var shows: () -> Bool = { true }
  /// A table that reads all features, or the features in many windows, by `query`, which has
  /// paging; nil if the service does not support `query`.
  private let fullTable: RemoteFeatureTable?

  init(_ service: RemoteMapService, id: Int64, info: RemoteLayerInfo) {
    (self.service, self.id, self.info) = (service, id, info)
    let address = service.address.appending("\(id)")
    path = address.text
    var requested = info
    if let reference = service.reference, let text = service.referenceText {
      requested = info.requested(in: reference, text)
    }
    fullTable =
      info.hasQuery
      ? RemoteFeatureTable(
        address, requested, session: service.session, access: service.access) : nil
  }

  var isShown: Bool { shows() }
  var fields: [Field] { info.columns.map(\.field) }
  var spatialReference: SpatialReference? { service.reference }
  var featureCount: Int? { nil }
  var hasSpatialIndex: Bool { true }
  var hasSymbols: Bool { false }
  var isRemote: Bool { true }
  var extent: Envelope? { nil }
  let path: String?
  var geometryKind: String? { info.geometryKind }
  var files: [String] { [] }
  var warning: String? { nil }
  var defaults: LayerDefaults { info.defaults }

  func open() throws {}

  func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]] {
    try fullTable?.attachments(of: ids) ?? [:]
  }

  func restrict(to condition: String?) -> Bool {
    self.condition = condition
    _ = fullTable?.restrict(to: condition)
    return true
  }

  func features(in windows: [Envelope]?) throws -> [TableFeature] {
    if windows?.isEmpty == true { return [] }
    if windows.map({ $0.count > 1 }) ?? true, let fullTable {
      return try fullTable.features(in: windows)
    }
    guard let windows else {
      throw PlumbError(
        "\(path ?? ""): the service does not support query, so its features cannot be read as a whole",
        code: .unsupported)
    }
    return try service.features(of: id, in: windows).map { TableFeature($0) }
  }
}
