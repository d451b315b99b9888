import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbLayers
import PlumbSources

/// A layer of a web map service (WMS), queried by `GetFeatureInfo`.
struct WebMapServiceLayer {
  private let target: RemoteTarget
  private let failure: (any Error) -> any Error
  /// The names of the layers to query; empty for all queryable layers of the service.
  private let names: [String]
  private let version: String?

  /// - Parameter layer: the operational layer, with `layers` or `visibleLayers`.
  init(
    _ target: RemoteTarget, _ layer: DocumentNode, failure: @escaping (any Error) -> any Error
  ) throws(DocumentFault) {
    (self.target, self.failure) = (target, failure)
    version = try layer.text("version")
    var names: [String] = []
    if let visible = try layer.elements("visibleLayers") {
      for name in visible { names.append(try name.name()) }
    } else {
      for entry in try layer.elements("layers") ?? [] {
        if let name = try entry.member("name")?.name() { names.append(name) }
      }
    }
    self.names = names
  }

  func layer(_ properties: LayerProperties, _ settings: LayerSettings) -> RemoteLayer {
    RemoteLayer(properties, kind: .other, typeName: "WMS", popup: settings.popup) {
      do {
        var address = try target.service()
        address.acceptsPOST = false
        let service = try WebMapService(
          address, session: target.session, names: names, version: version)
        return RemoteLayer.Source(reference: service.reference) { points, question in
          service.results(at: points, question)
        }
      } catch {
        throw failure(error)
      }
    }
  }
}

/// The capabilities and responses of a web map service.
struct WebMapService {
  private let address: ServiceAddress
  private let session: RemoteSession
  private let version: String
  private let layers: String
  private let format: String
  private let code: String
  /// The CRS of locations in requests.
  let reference: SpatialReference
  /// Whether boxes have y before x.
  private let isSwapped: Bool
  /// The default pixel size in map units, for requests without a scale.
  private let defaultSide: Double

  private static let pixels = 101
  private static let maximumPending = 8
  /// The maximum number of features per layer, for requests without a limit.
  private static let maximumFeatures = 1000
  private static let formats = [
    "application/geo+json", "application/geojson", "application/vnd.geo+json", "application/json",
    "application/json; subtype=geojson", "application/vnd.ogc.gml/3.1.1", "application/gml+xml",
    "application/vnd.ogc.gml", "text/xml; subtype=gml/3.1.1", "text/xml; subtype=gml/3.2.1",
    "text/xml", "text/plain",
  ]

  /// Reads the service's capabilities.
  init(
    _ address: ServiceAddress, session: RemoteSession, names: [String], version wanted: String?
  ) throws {
    (self.address, self.session) = (address, session)
    var parameters = [("service", "WMS"), ("request", "GetCapabilities")]
    if let wanted { parameters.append(("version", wanted)) }
    let reply = try session.reply(
      to: session.begin(address, parameters, accepts: "text/xml, application/xml, */*;q=0.5"))
    let root = try Self.document(reply, address, session)
    guard root.name.hasPrefix("WMS_Capabilities") || root.name.hasPrefix("WMT_MS_Capabilities")
    else {
      throw session.fault(
        "the reply is not the capabilities of a web map service: \(root.name.printable.prefix(60))",
        at: address, .readError)
    }
    version = root.attributes["version"] == "1.1.1" ? "1.1.1" : "1.3.0"
    let capability = root.child("Capability")
    let request = capability?.child("Request")?.child("GetFeatureInfo")
    let offered = request?.children.filter { $0.name == "Format" }.map(\.text) ?? []
    guard
      let format = Self.formats.lazy.compactMap({ known in
        offered.first { $0.lowercased().replacing(" ", with: "") == known.replacing(" ", with: "") }
      }).first
    else {
      let list = offered.isEmpty ? "none" : offered.joined(separator: ", ")
      throw session.fault(
        "the service offers features in none of the supported formats (GeoJSON, GML, text): \(list)",
        at: address, .unsupported)
    }
    self.format = format
    var all: [(name: String, isQueryable: Bool)] = []
    var codes: Set<String> = []
    func walk(_ element: XMLElement, _ isAbove: Bool) {
      let flag = element.attributes["queryable"]
      let isQueryable = flag.map { $0 == "1" || $0 == "true" } ?? isAbove
      if let name = element.child("Name")?.text { all.append((name, isQueryable)) }
      for child in element.children where ["CRS", "SRS"].contains(child.name) {
        codes.formUnion(child.text.split { $0 == " " }.map(String.init))
      }
      for child in element.children where child.name == "Layer" { walk(child, isQueryable) }
    }
    for layer in capability?.children.filter({ $0.name == "Layer" }) ?? [] { walk(layer, false) }
    let known = Set(all.map(\.name))
    if let missing = names.first(where: { !known.contains($0) }) {
      throw session.fault(
        "it has no layer \(missing.printable)"
          + NameSuggestions.advice(missing, among: all.map(\.name)), at: address, .notFound)
    }
    let queried = names.isEmpty ? all.filter(\.isQueryable).map(\.name) : names
    guard !queried.isEmpty else {
      throw session.fault("none of its layers can be queried", at: address, .unsupported)
    }
    // Requests list the topmost layer last, because a service draws the first layer beneath the others.
    layers = queried.reversed().joined(separator: ",")
    let usual = ["EPSG:3857", "CRS:84", "EPSG:4326", "EPSG:900913"]
    // In version 1.3.0, only UTM codes are known to have x before y. In version 1.1.1, all codes
    // do.
    let others = version == "1.1.1" ? codes.sorted() : codes.filter { Self.isUTM($0) }.sorted()
    guard
      let code = (usual + others).first(where: {
        codes.contains($0) && ($0 == "CRS:84" || (try? SpatialReference($0)) != nil)
      })
    else {
      throw session.fault(
        "it has none of the CRSs \(usual.joined(separator: ", "))", at: address,
        .noReference)
    }
    self.code = code
    let plain = ["CRS:84": "EPSG:4326", "EPSG:900913": "EPSG:3857"][code] ?? code
    reference = try SpatialReference(plain)
    isSwapped = version == "1.3.0" && code == "EPSG:4326"
    defaultSide = reference.isGeographic ? 1e-5 : 1 / reference.metresPerUnit
  }

  private static func isUTM(_ code: String) -> Bool {
    guard code.hasPrefix("EPSG:"), let number = Int(code.dropFirst(5)) else { return false }
    return (32601...32660).contains(number) || (32701...32760).contains(number)
      || (25828...25838).contains(number)
  }

  /// - Throws: if the reply is not XML, or reports an error.
  private static func document(
    _ reply: HTTPReply, _ address: ServiceAddress, _ session: RemoteSession
  ) throws -> XMLElement {
    let root: XMLElement
    do throws(FormatError) {
      root = try XMLElement(reply.body.bytes)
    } catch {
      let status = reply.status == 200 ? "" : " (status \(reply.status))"
      throw session.fault(
        "the reply is not XML\(status): \(error.message)", at: address, .readError)
    }
    if root.name.hasPrefix("ServiceExceptionReport") || root.name == "ExceptionReport" {
      let text = root.child("ServiceException")?.text ?? root.text
      throw session.fault("the service reports: \(text.prefix(300))", at: address, .readError)
    }
    return root
  }

  // MARK: Replies

  /// Returns the features of the layers at locations in `reference`.
  func results(
    at points: [SIMD2<Double>], _ question: RemoteLayer.Question
  ) -> [RemoteLayer.Answer] {
    var results: [RemoteLayer.Answer] = []
    for start in stride(from: 0, to: points.count, by: Self.maximumPending) {
      let part = points[start..<min(points.count, start + Self.maximumPending)]
      let pending = part.map { begin($0, question) }
      for (point, one) in zip(part, pending) {
        do {
          var features = try features(session.reply(to: one), at: point)
          let limit = question.maximumResults ?? Self.maximumFeatures
          let isTruncated = features.count > limit
          if isTruncated { features = Array(features.prefix(limit)) }
          results.append(
            RemoteLayer.Answer(elements: features.map { .feature($0) }, isCut: isTruncated))
        } catch {
          results.append(RemoteLayer.Answer(error: LayerError(code: .readError, error)))
        }
      }
    }
    return results
  }

  private func begin(
    _ point: SIMD2<Double>, _ question: RemoteLayer.Question
  ) -> RemoteSession.Pending {
    let side = question.scale.map { Pixel.side(atScale: $0, in: reference) } ?? defaultSide
    let half = side * Double(Self.pixels) / 2
    let (low, high) = (point - half, point + half)
    let box =
      isSwapped
      ? [low.y, low.x, high.y, high.x] : [low.x, low.y, high.x, high.y]
    let isNew = version == "1.3.0"
    let limit = (question.maximumResults ?? Self.maximumFeatures) + 1
    return session.begin(
      address,
      [
        ("service", "WMS"), ("version", version), ("request", "GetFeatureInfo"),
        ("layers", layers), ("query_layers", layers), ("styles", ""),
        (isNew ? "crs" : "srs", code), ("bbox", box.map(\.description).joined(separator: ",")),
        ("width", "\(Self.pixels)"), ("height", "\(Self.pixels)"), ("format", "image/png"),
        (isNew ? "i" : "x", "\(Self.pixels / 2)"), (isNew ? "j" : "y", "\(Self.pixels / 2)"),
        ("info_format", format), ("feature_count", "\(limit)"),
      ], maximumBytes: 16 << 20, accepts: format)
  }

  /// Returns the features of a reply in any of the formats.
  private func features(
    _ reply: HTTPReply, at point: SIMD2<Double>
  ) throws -> [IdentifiedFeature] {
    let bytes = reply.body.bytes
    let first = bytes.first { $0 > 0x20 }
    guard let first else { return [] }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return try WebMapReply.geoJSON(bytes, reference)
    }
    if first == UInt8(ascii: "<") {
      if reply.contentType == "text/html" {
        throw session.fault(
          "the server returned an HTML page instead of \(format)", at: address, .readError)
      }
      return WebMapReply.markup(try Self.document(reply, address, session), reference)
    }
    guard reply.status < 400 else {
      throw session.fault("the server returned status \(reply.status)", at: address, .readError)
    }
    return WebMapReply.plain(String(decoding: bytes, as: UTF8.self))
  }
}
