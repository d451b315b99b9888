import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

/// The features of a layer of a feature or map service, read page by page with `query`. The table
/// reads the features around the requested points, or all features if the layer is small compared
/// with the number of points.
final class RemoteFeatureTable: FeatureTable {
  let session: RemoteSession
  private let access: DocumentAccess
  /// The layer's address.
  let address: ServiceAddress
  private let failure: (any Error) -> any Error
  private(set) var info: RemoteLayerInfo?
  private var condition: String?
  /// The number of features; nil if the number has not been requested. The inner value is nil if
  /// the service did not return the number.
  private var count: Int??
  /// All features; nil until all features have been read.
  private var all: [TableFeature]?
  private(set) var faults = FeatureFaults()
  /// The number of threads that are reading. All but one of these threads are waiting for replies.
  private var reading = 0

  /// Creates a table whose metadata is already known.
  convenience init(
    _ address: ServiceAddress, _ info: RemoteLayerInfo, session: RemoteSession,
    access: DocumentAccess
  ) {
    self.init(address, session: session, access: access) { $0 }
    self.info = info
  }

  /// The maximum number of features in memory.
  static let maximumFeatures = 5_000_000
  /// The maximum number of points (`maximumPoints`) or of boxes around points (`maximumBoxes`) in a
  /// request.
  private static let maximumPoints = 1000
  private static let maximumBoxes = 250
  /// The maximum number of concurrent requests.
  private static let maximumPending = 8

  init(
    _ address: ServiceAddress, session: RemoteSession, access: DocumentAccess,
    failure: @escaping (any Error) -> any Error
  ) {
    (self.address, self.session, self.access) = (address, session, access)
    self.failure = failure
  }

  func open() throws {
    guard info == nil else { return }
    do {
      let node = try session.object(at: address)
      // Another thread may have opened the table in the meantime.
      guard self.info == nil else { return }
      let info = try RemoteLayerInfo(node, access: access)
      guard !info.columns.isEmpty || info.geometryKind != nil else {
        throw PlumbError("\(address.shown) is a \(info.type.printable), not a layer of features")
      }
      self.info = info
    } catch {
      throw failure(error)
    }
  }

  var fields: [Field] { info?.columns.map(\.field) ?? [] }
  var spatialReference: SpatialReference? { info?.reference }
  var hasSpatialIndex: Bool { true }
  var hasSymbols: Bool { false }
  var isRemote: Bool { true }
  var extent: Envelope? { info?.extent }
  var path: String? { address.text }
  var geometryKind: String? { info?.geometryKind }
  var files: [String] { [] }
  var warning: String? { faults.warning }
  var defaults: LayerDefaults { info?.defaults ?? LayerDefaults() }

  func restrict(to condition: String?) -> Bool {
    if condition != self.condition { (count, all) = (nil, nil) }
    self.condition = condition
    return true
  }

  var featureCount: Int? {
    if let count { return count }
    guard info != nil else { return nil }
    let node = try? session.object(at: query, queryParameters([("returnCountOnly", "true")]))
    let number = (try? node?.member("count")?.integer()).flatMap { Int(exactly: $0) }
    let known = number.flatMap { $0 >= 0 ? $0 : nil }
    if known != nil || !WorkCancellation.isCurrentCancelled { count = .some(known) }
    return known
  }

  func features(in windows: [Envelope]?) throws -> [TableFeature] {
    guard let info else { throw PlumbError("the table is not open") }
    if let all { return all }
    // If other threads are reading, the faults found by these threads are kept.
    if reading == 0 { faults.clear() }
    reading += 1
    defer { reading -= 1 }
    guard let windows, !readsAll(for: windows, info) else {
      let features = try everything(info)
      all = all ?? features
      return all ?? features
    }
    if windows.isEmpty { return [] }
    return sorted(try pages(of: filters(windows, info), info), info)
  }

  // MARK: Requests

  private var query: ServiceAddress { address.appending("query") }

  private func queryParameters(_ more: [(name: String, value: String)]) -> [(
    name: String, value: String
  )] {
    [("where", condition ?? "1=1")] + more
  }

  /// The parameters of feature requests other than the filter.
  private func shape(_ info: RemoteLayerInfo) -> [(name: String, value: String)] {
    var shape = [("outFields", "*"), ("returnGeometry", "true")]
    if let text = info.referenceText { shape.append(("outSR", text)) }
    if info.hasZ { shape.append(("returnZ", "true")) }
    if info.hasM { shape.append(("returnM", "true")) }
    return shape
  }

  /// Whether all features can be read with at most one request per `maximumBoxes` windows; false for a
  /// single window.
  private func readsAll(for windows: [Envelope], _ info: RemoteLayerInfo) -> Bool {
    guard windows.count > 1, let count = featureCount else { return false }
    let requests = (count + info.maximumRecords - 1) / info.maximumRecords
    return requests <= (windows.count + Self.maximumBoxes - 1) / Self.maximumBoxes
  }

  /// Returns the filters for windows: a box for a single window, multipoints if all windows are points, or
  /// the unions of boxes.
  private func filters(
    _ windows: [Envelope], _ info: RemoteLayerInfo
  ) throws -> [[(name: String, value: String)]] {
    let reference = info.referenceText.map { [("inSR", $0)] } ?? []
    func filter(_ geometry: Geometry, _ type: String, _ relation: String) throws -> [(
      name: String, value: String
    )] {
      var geometry = geometry
      geometry.spatialReference = nil
      return [
        ("geometry", try EsriJSONGeometry.encode(geometry)), ("geometryType", type),
        ("spatialRel", relation),
      ] + reference
    }
    if windows.count == 1 {
      return [
        try filter(
          .envelope(windows[0]), "esriGeometryEnvelope",
          info.comparesBoxes ? "esriSpatialRelEnvelopeIntersects" : "esriSpatialRelIntersects")
      ]
    }
    // Sorts the windows, so that nearby windows are in the same request. Overlapping boxes in a request
    // are merged.
    let order = windows.indices.sorted { windows[$0].tileOrder < windows[$1].tileOrder }
    if windows.allSatisfy({ $0.xMin == $0.xMax && $0.yMin == $0.yMax }) {
      return try stride(from: 0, to: order.count, by: Self.maximumPoints).map { start in
        let part = order[start..<min(order.count, start + Self.maximumPoints)].map { windows[$0] }
        let points = Multipoint(VertexList(part.map { SIMD2($0.xMin, $0.yMin) }))
        return try filter(
          .multipoint(points), "esriGeometryMultipoint", "esriSpatialRelIntersects")
      }
    }
    return try stride(from: 0, to: order.count, by: Self.maximumBoxes).map { start in
      let part = order[start..<min(order.count, start + Self.maximumBoxes)].map { windows[$0] }
      let area = try GeometryEngine.union(
        part.map { .polygon($0.polygon) }, workers: Workers(count: 1))
      return try filter(
        area ?? .envelope(windows[0]), "esriGeometryPolygon", "esriSpatialRelIntersects")
    }
  }

  // MARK: Replies

  /// Returns the features of several filters, from all pages. Sends several requests concurrently.
  private func pages(
    of filters: [[(name: String, value: String)]], _ info: RemoteLayerInfo
  ) throws -> [Feature] {
    var found: [Feature] = []
    for start in stride(from: 0, to: filters.count, by: Self.maximumPending) {
      let part = filters[start..<min(filters.count, start + Self.maximumPending)]
      let first = part.map { begin($0, offset: 0, info) }
      for (filter, pending) in zip(part, first) {
        found += try rest(of: filter, page(pending, info), info)
        try check(found.count)
      }
    }
    return found
  }

  private func check(_ count: Int) throws {
    guard count <= Self.maximumFeatures else {
      throw failure(
        PlumbError(
          "\(address.shown): more than \(Self.maximumFeatures) features; use a condition to reduce the number",
          code: .limit))
    }
  }

  private func begin(
    _ filter: [(name: String, value: String)], offset: Int, _ info: RemoteLayerInfo
  ) -> RemoteSession.Pending {
    var parameters: [(name: String, value: String)] = [("f", "json")]
    parameters += queryParameters(filter) + shape(info)
    if info.hasPages {
      if let number = info.numberColumn {
        parameters.append(("orderByFields", info.columns[number].name))
      }
      parameters.append(("resultOffset", "\(offset)"))
      parameters.append(("resultRecordCount", "\(info.maximumRecords)"))
    }
    return session.begin(query, parameters, maximumBytes: RemoteSession.dataBytes)
  }

  private struct Page {
    var features: [Feature]
    var isTruncated: Bool
  }

  private func page(_ pending: RemoteSession.Pending, _ info: RemoteLayerInfo) throws -> Page {
    do {
      let (tree, reply) = try session.object(of: pending)
      guard case .object(let members) = tree, case .list? = members["features"] else {
        throw session.fault("the reply has no list of features", at: query, .readError)
      }
      let features = try read(reply.body.bytes, info)
      // Old services do not report truncation.
      var isTruncated = features.count >= info.maximumRecords
      if case .boolean(let flag)? = members["exceededTransferLimit"] {
        isTruncated = flag || isTruncated
      }
      if case .object(let properties)? = members["properties"],
        case .boolean(true)? = properties["exceededTransferLimit"]
      {
        isTruncated = true
      }
      return Page(features: features, isTruncated: isTruncated)
    } catch {
      throw failure(error)
    }
  }

  /// Returns all features of a filter, given its first page.
  private func rest(
    of filter: [(name: String, value: String)], _ first: Page, _ info: RemoteLayerInfo
  ) throws -> [Feature] {
    guard first.isTruncated else { return first.features }
    guard info.hasPages, !first.features.isEmpty else { return try byNumbers(filter, info) }
    var features = first.features
    var known = Set(features.compactMap(\.id))
    while true {
      let next = try page(begin(filter, offset: features.count, info), info)
      // The previous page may have been the last page although it was full.
      if next.features.isEmpty { return features }
      let before = known.count
      known.formUnion(next.features.compactMap(\.id))
      guard known.count > before || next.features.contains(where: { $0.id == nil }) else {
        throw failure(
          session.fault("the service keeps returning the same page", at: query, .readError))
      }
      features += next.features
      try check(features.count)
      if !next.isTruncated { return features }
    }
  }

  /// Returns the features of a filter by object id, for a service that does not support paging.
  private func byNumbers(
    _ filter: [(name: String, value: String)], _ info: RemoteLayerInfo
  ) throws -> [Feature] {
    do {
      let node = try session.object(
        at: query, queryParameters(filter + [("returnIdsOnly", "true")]),
        maximumBytes: RemoteSession.dataBytes)
      var numbers: [Int64] = []
      for number in try node.elements("objectIds") ?? [] { numbers.append(try number.integer()) }
      try check(numbers.count)
      let step = min(info.maximumRecords, 500)
      var features: [Feature] = []
      let starts = Array(stride(from: 0, to: numbers.count, by: step))
      for group in stride(from: 0, to: starts.count, by: Self.maximumPending) {
        let part = starts[group..<min(starts.count, group + Self.maximumPending)]
        let pending = part.map { start in
          let list = numbers[start..<min(numbers.count, start + step)]
          return begin(
            [("objectIds", list.map(\.description).joined(separator: ","))], offset: 0, info)
        }
        for one in pending { features += try page(one, info).features }
      }
      guard Set(features.compactMap(\.id)).isSuperset(of: numbers) else {
        throw session.fault(
          "the service lists \(numbers.count) features but returns \(features.count)",
          at: query, .readError)
      }
      return features
    } catch {
      throw failure(error)
    }
  }

  /// Returns all features, read page by page. The requests are concurrent if the number of features
  /// is known.
  private func everything(_ info: RemoteLayerInfo) throws -> [TableFeature] {
    guard info.hasPages, let count = featureCount, count > info.maximumRecords else {
      return sorted(try pages(of: [[]], info), info)
    }
    try check(count)
    var features: [Feature] = []
    var offset = 0
    while offset < count {
      let starts = Array(
        stride(from: offset, to: count, by: info.maximumRecords).prefix(Self.maximumPending))
      let pending = starts.map { begin([], offset: $0, info) }
      for (index, one) in pending.enumerated() {
        let next = try page(one, info)
        features += next.features
        // A page shorter than requested shifts the offsets of all following pages, so the rest is read one
        // page after the other.
        if next.features.count < info.maximumRecords, offset + info.maximumRecords < count {
          return sorted(
            try rest(of: [], Page(features: features, isTruncated: true), info), info)
        }
        offset = starts[index] + info.maximumRecords
      }
    }
    return sorted(features, info)
  }

  private func read(
    _ bytes: UnsafeRawBufferPointer, _ info: RemoteLayerInfo
  ) throws -> [Feature] {
    let reader = try EsriFeatureReader(bytes) { [access] definition in
      try SpatialReference.inDocument(definition, access)
    }
    let columns = info.columns.map { column in
      reader.fields.firstIndex { $0.name == column.name }
    }
    var features: [Feature] = []
    features.reserveCapacity(reader.featureCount)
    while var feature = try reader.next() {
      let values = feature.attributes
      feature.attributes = zip(info.columns, columns).map { column, index in
        index.map { column.value(values[$0]) } ?? .null
      }
      if let number = info.numberColumn, case .integer(let id) = feature.attributes[number] {
        feature.id = id
      }
      if let reference = info.reference { feature.geometry?.spatialReference = reference }
      features.append(feature)
    }
    faults.formUnion(reader.faults)
    return features
  }

  /// Returns each feature once, ordered by object id.
  private func sorted(_ features: [Feature], _ info: RemoteLayerInfo) -> [TableFeature] {
    guard info.numberColumn != nil else { return features.map { TableFeature($0) } }
    var seen: Set<Int64> = []
    let once = features.filter { feature in feature.id.map { seen.insert($0).inserted } ?? true }
    return once.sorted { ($0.id ?? .max) < ($1.id ?? .max) }.map { TableFeature($0) }
  }
}

extension Envelope {
  /// The Z-order of the box's centre, which roughly keeps neighbours together.
  fileprivate var tileOrder: UInt64 {
    func key(_ value: Double) -> UInt32 {
      let bits = Float(value).bitPattern
      return bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
    }
    func spread(_ value: UInt32) -> UInt64 {
      var bits = UInt64(value)
      for (shift, mask) in [
        (16, 0x0000_FFFF_0000_FFFF), (8, 0x00FF_00FF_00FF_00FF), (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555),
      ] as [(UInt64, UInt64)] {
        bits = (bits | bits << shift) & mask
      }
      return bits
    }
    return spread(key((xMin + xMax) / 2)) | spread(key((yMin + yMax) / 2)) << 1
  }
}
