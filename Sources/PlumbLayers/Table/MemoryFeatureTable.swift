import PlumbCore

/// A shape on the map with attributes by name and an optional symbol.
public struct Graphic: Sendable {
  /// The shape, with its CRS if it has one.
  public var geometry: Geometry
  /// The attributes by field name; missing attributes are null.
  public var attributes: [String: FieldValue]
  /// The graphic's individual symbol; nil for the symbol of the layer's renderer.
  public var symbol: Symbol?

  /// Creates a graphic, by default without attributes or a symbol.
  public init(
    geometry: Geometry, attributes: [String: FieldValue] = [:], symbol: Symbol? = nil
  ) {
    self.geometry = geometry
    self.attributes = attributes
    self.symbol = symbol
  }
}

/// Features in memory.
public final class MemoryFeatureTable: FeatureTable {
  /// The given columns, or the names of all graphics' attributes.
  public let fields: [Field]
  /// The CRS of all shapes; nil if unknown.
  public let spatialReference: SpatialReference?
  /// A warning from the source of the features; nil if there is none.
  public let warning: String?
  private let rows: [TableFeature]
  /// The CRS of the first geometry whose CRS differs from `spatialReference`; nil if there is none.
  private let otherReference: SpatialReference?

  /// - Parameters:
  ///   - fields: the columns.
  ///   - features: the features, with one attribute per field; missing attributes are null.
  ///   - spatialReference: the CRS of all geometries, which overrides their CRSs. Nil for the CRS
  ///     of the first geometry that has one. In this case, the table cannot be opened if geometries
  ///     have different CRSs.
  ///   - warning: a warning from the source of the features; nil for none.
  public init(
    fields: [Field], features: [Feature], spatialReference: SpatialReference? = nil,
    warning: String? = nil
  ) {
    self.fields = fields
    self.warning = warning
    let reference = Self.reference(spatialReference, of: features.lazy.map(\.geometry))
    (self.spatialReference, otherReference) = reference
    rows = features.map { feature in
      var feature = feature
      feature.geometry?.spatialReference = reference.common
      while feature.attributes.count < fields.count { feature.attributes.append(.null) }
      return TableFeature(feature)
    }
  }

  /// Creates features from graphics: the fields are the names of all attributes, in alphabetical order.
  public init(graphics: [Graphic], spatialReference: SpatialReference? = nil) {
    var kinds: [String: FieldKind] = [:]
    for graphic in graphics {
      for (name, value) in graphic.attributes {
        guard let kind = value.kind else { continue }
        kinds[name] = kinds[name].map { $0 == kind ? kind : .text } ?? kind
      }
      for name in graphic.attributes.keys where kinds[name] == nil { kinds[name] = .text }
    }
    let names = kinds.keys.sorted()
    fields = names.map { Field(name: $0, kind: kinds[$0] ?? .text) }
    warning = nil
    let reference = Self.reference(spatialReference, of: graphics.lazy.map(\.geometry))
    (self.spatialReference, otherReference) = reference
    rows = graphics.enumerated().map { index, graphic in
      var geometry = graphic.geometry
      geometry.spatialReference = reference.common
      return TableFeature(
        Feature(
          id: Int64(index), attributes: names.map { graphic.attributes[$0] ?? .null },
          geometry: geometry),
        symbol: graphic.symbol)
    }
  }

  private static func reference(
    _ explicit: SpatialReference?, of geometries: some Sequence<Geometry?>
  ) -> (common: SpatialReference?, other: SpatialReference?) {
    if let explicit { return (explicit, nil) }
    var common: SpatialReference?
    for case let reference? in geometries.lazy.map({ $0?.spatialReference }) {
      if let common, common != reference, !common.isEquivalent(to: reference) {
        return (common, reference)
      }
      common = common ?? reference
    }
    return (common, nil)
  }

  /// The number of features.
  public var featureCount: Int? { rows.count }
  /// Always false: all features are returned for any window.
  public var hasSpatialIndex: Bool { false }
  /// Always empty.
  public var files: [String] { [] }
  /// Always nil: the extent is not computed in advance.
  public var extent: Envelope? { nil }

  /// Checks that all shapes have the same CRS.
  ///
  /// - Throws: `bad_layer` if geometries have different CRSs and none was given for the table.
  public func open() throws {
    guard let spatialReference, let otherReference else { return }
    throw LayerError(
      code: .badLayer,
      message: "its geometries are in \(spatialReference.label) and in \(otherReference.label)")
  }

  /// Returns all features, regardless of the windows.
  public func features(in windows: [Envelope]?) -> [TableFeature] { rows }
}

extension FieldValue {
  fileprivate var kind: FieldKind? {
    switch self {
    case .null: nil
    case .text, .json: .text
    case .integer: .integer
    case .real: .real
    case .boolean: .boolean
    }
  }
}
