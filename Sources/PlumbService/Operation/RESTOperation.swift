import PlumbIO

/// An operation of ArcGIS REST, with the parameters that Esri documents for it. Undocumented
/// parameters are ignored, because some clients send such parameters to bypass caches.
enum RESTOperation: String, Sendable, CaseIterable {
  case mapExport = "{map}/MapServer/export"
  case mapIdentify = "{map}/MapServer/identify"
  case mapLegend = "{map}/MapServer/legend"
  case mapLayers = "{map}/MapServer/layers"
  case mapQuery = "{map}/MapServer/{layer}/query"
  case featureLayers = "{map}/FeatureServer/layers"
  case featureQuery = "{map}/FeatureServer/{layer}/query"
  case networkQuery = "{network}/FeatureServer/{layer}/query"
  case dataElements = "{network}/FeatureServer/queryDataElements"
  case trace = "{network}/UtilityNetworkServer/trace"
  case associations = "{network}/UtilityNetworkServer/associations/query"
  case imageIdentify = "{image}/ImageServer/identify"
  case imageSamples = "{image}/ImageServer/getSamples"
  case imageStatistics = "{image}/ImageServer/computeStatisticsHistograms"
  case imageHistograms = "{image}/ImageServer/computeHistograms"
  case imageExport = "{image}/ImageServer/exportImage"
  case imageClasses = "{image}/ImageServer/rasterAttributeTable"
  case buffer = "Utilities/Geometry/GeometryServer/buffer"
  case project = "Utilities/Geometry/GeometryServer/project"
  case simplify = "Utilities/Geometry/GeometryServer/simplify"
  case union = "Utilities/Geometry/GeometryServer/union"
  case intersect = "Utilities/Geometry/GeometryServer/intersect"
  case difference = "Utilities/Geometry/GeometryServer/difference"
  case distance = "Utilities/Geometry/GeometryServer/distance"
  case lengths = "Utilities/Geometry/GeometryServer/lengths"
  case areasAndLengths = "Utilities/Geometry/GeometryServer/areasAndLengths"
  case relation = "Utilities/Geometry/GeometryServer/relation"
  case densify = "Utilities/Geometry/GeometryServer/densify"
  case generalize = "Utilities/Geometry/GeometryServer/generalize"
  case convexHull = "Utilities/Geometry/GeometryServer/convexHull"
  case labelPoints = "Utilities/Geometry/GeometryServer/labelPoints"

  /// The parameters of the operation without duplicates, in the order of the documentation.
  var parameters: [RESTParameter] {
    switch self {
    case .mapExport: Self.ofExport
    case .mapIdentify: Self.ofIdentify
    case .mapLegend: Self.ofLegend
    case .mapLayers: Self.ofLayers
    case .featureLayers: Self.ofFeatureLayers
    case .mapQuery, .featureQuery, .networkQuery: Self.ofQuery
    case .dataElements: RESTParameter.used("layers")
    case .trace: Self.ofTrace
    case .associations: Self.ofAssociations
    case .imageIdentify: Self.ofImageIdentify
    case .imageSamples: Self.ofSamples
    case .imageStatistics, .imageHistograms: Self.ofImageStatistics
    case .imageExport: Self.ofImageExport
    case .imageClasses: Self.renderingRule
    default: ofGeometry
    }
  }

  /// The parameters of every operation.
  static let common =
    RESTParameter.used("f", "token")
    + RESTParameter.refused(
      "callback", "replies are JSON, not scripts", .none)

  private static let tables = Dictionary(
    uniqueKeysWithValues: allCases.map { operation in
      let named = operation.parameters.map { ($0.name.lowercased(), $0) }
      return (operation, Dictionary(named) { first, _ in first })
    })

  /// Whether the operation uses a parameter.
  func uses(_ name: String) -> Bool { Self.tables[self]?[name.lowercased()]?.isUsed ?? false }

  /// Returns the operation at a path.
  ///
  /// - Parameters:
  ///   - server: the service type, such as `MapServer`.
  ///   - isNetwork: whether the service is the service of a network.
  ///   - path: the path below the service type.
  /// - Returns: nil for a description or an unknown path.
  static func at(_ server: String, isNetwork: Bool = false, _ path: [String]) -> RESTOperation? {
    guard let first = path.first else { return nil }
    // A number in the path is the number of a layer.
    let head = path.count > 1 && Int(first) != nil ? "{layer}" : first
    let rest = [server, head] + path.dropFirst()
    let key = (isNetwork ? "{network}/" : "") + rest.joined(separator: "/")
    return addresses[key.lowercased()]
  }

  /// The operations by service type and the path below it, in lower case. For services of networks,
  /// the key has the prefix `{network}/`.
  private static let addresses = Dictionary(
    uniqueKeysWithValues: allCases.map { operation in
      let parts = operation.rawValue.lowercased().split(separator: "/")
      let isNetwork = parts.first == "{network}"
      let start = isNetwork ? 0 : (parts.firstIndex { $0.hasSuffix("server") } ?? 0)
      return (parts[start...].joined(separator: "/"), operation)
    })

  /// Rejects parameters that would change the reply and are not implemented.
  ///
  /// - Throws: the error of the first rejected parameter in alphabetical order.
  func check(_ parameters: Parameters) throws(ServiceError) {
    guard let table = Self.tables[self] else { return }
    var first: (name: String, failure: ServiceError)?
    for (name, value) in parameters.values {
      guard let failure = table[name]?.failure(value.trimmingASCIISpace()) else { continue }
      if first.map({ name < $0.name }) ?? true { first = (name, failure) }
    }
    if let first { throw first.failure }
  }

  /// Rejects parameters that no operation supports.
  static func checkCommon(_ parameters: Parameters) throws(ServiceError) {
    for parameter in common {
      if let failure = parameter.failure(parameters.word(parameter.name) ?? "") { throw failure }
    }
  }
}
