import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbNetwork
import PlumbSources

/// Opens the JSON documents that define a network's features: a definition and the layers of its sources, or
/// a plain mapping.
///
///     {"layerDataElements": [ … ],               or "definition": "definition.json"
///      "spatialReference": {"wkid": 4326}, "tolerance": 0.001,
///      "sources": [{"sourceId": 9, "path": "gas.gpkg", "layer": "devices", "fields": { … }}],
///      "associations": {"path": "gas.gpkg", "layer": "associations", "fields": { … }}}
///
/// `spatialReference` defaults to the CRS of the first layer that has one. Layers in other CRSs are
/// projected. `tolerance` is in the unit of the CRS and defaults to 0. Paths are relative to the
/// document.
enum NetworkDocument {
  package static func open(
    path: String, form: OpenedNetwork.Form, access: DocumentAccess, signIn: SignIn? = nil,
    isStrict: Bool, progress: @escaping OpenedNetwork.Progress
  ) throws -> OpenedNetwork {
    let (root, folder) = try NetworkLayer.fault {
      try self.root(path: path, access: access, signIn: signIn)
    }
    return try NetworkLayer.fault {
      let tolerance = try root.size("tolerance") ?? 0
      let reference = try root.member("spatialReference")?.spatialReference(access)
      if form == .mapping {
        let mapping = try PlainMapping(root, folder: folder)
        let layers = mapping.parts.map(\.layer)
        let passes = mapping.parts.map { $0.category == nil ? 1 : 2 }
        let scene = try NetworkScene(reference, layers, passes: passes, progress)
        let network = try explained(mapping.identifiers) {
          try mapping.network(
            tolerance: tolerance, projections: scene.projections, isStrict: isStrict,
            progress: scene.count)
        }
        return opened(
          network, form, path, scene, files: [path],
          warnings: mapping.parts.flatMap(\.warnings)
            + network.0.faults.warnings(path) { _ in nil }
        ).checked(tolerance: tolerance)
      }
      let document = try DefinedNetwork(root, path: path, folder: folder)
      let layers = document.sources.map(\.layer)
      let scene = try NetworkScene(
        reference, layers, passes: layers.map { _ in 1 }, progress)
      let network = try explained(document.identifiers) {
        try document.network(
          tolerance: tolerance, projections: scene.projections, isStrict: isStrict,
          progress: scene.count)
      }
      return opened(
        network, form, path, scene, files: document.files,
        warnings: document.warnings + document.sources.flatMap(\.warnings)
      ).checked(tolerance: tolerance)
    }
  }

  /// The document and its folder. The document of a service is created from the service's metadata.
  package static func root(
    path: String, access: DocumentAccess, signIn: SignIn?
  ) throws -> (DocumentNode, DocumentFolder) {
    if RemoteSession.isAddress(path) {
      let network = try RemoteNetwork(path, access: access, signIn: signIn)
      return (
        try network.document(),
        try DocumentFolder(ofMap: path, access: access, session: network.session)
      )
    }
    let session = RemoteSession(access: access, signIn: signIn)
    return (
      try DocumentFile.root(path: path),
      try DocumentFolder(ofMap: path, access: access, session: session)
    )
  }

  private static func opened(
    _ network: (UtilityNetwork, [OpenedNetwork.Controller]), _ form: OpenedNetwork.Form,
    _ path: String, _ scene: NetworkScene,
    files: [String], warnings: [String]
  ) -> OpenedNetwork {
    OpenedNetwork(
      network: network.0, form: form, path: path, spatialReference: scene.reference,
      warnings: scene.warnings + warnings, files: files + scene.files, controllers: network.1,
      defaultFilter: nil)
  }

  /// Runs `body`, and adds the positions of duplicate or missing ids to errors of a network.
  private static func explained<R>(
    _ identifiers: NetworkIdentifiers, _ body: () throws -> R
  ) throws -> R {
    do {
      return try body()
    } catch let error as NetworkError {
      switch error.kind {
      case .duplicateIdentifier: throw try identifiers.duplicate() ?? error
      case .unknownElement: throw try identifiers.dangling() ?? error
      default: throw error
      }
    }
  }
}

/// The common state of a network's layers: the CRS, and the progress of reading.
final class NetworkScene {
  package let reference: SpatialReference?
  /// The projections, one per layer.
  let projections: [NetworkProjection]
  package private(set) var warnings: [String] = []
  package let files: [String]
  private let progress: OpenedNetwork.Progress
  private let expected: Int?
  private var done = 0

  /// - Parameters:
  ///   - wanted: the network's CRS; nil for the CRS of the first layer that has one.
  ///   - passes: the number of times that each layer is read.
  package init(
    _ wanted: SpatialReference?, _ layers: [NetworkLayer], passes: [Int],
    _ progress: @escaping OpenedNetwork.Progress
  ) throws {
    let reference = wanted ?? layers.lazy.compactMap(\.reader.spatialReference).first
    self.reference = reference
    self.progress = progress
    files = layers.flatMap(\.reader.files)
    let counts = zip(layers, passes).map { layer, passes in
      layer.reader.featureCount.map { $0.multipliedReportingOverflow(by: passes).partialValue }
    }
    expected = counts.contains(nil) ? nil : counts.reduce(0) { $0 &+ ($1 ?? 0) }
    var projections: [NetworkProjection] = []
    for layer in layers {
      let source = layer.reader.spatialReference
      if let reference, source == nil, layer.reader.hasGeometry {
        warnings.append("\(layer.label) has no CRS: \(reference.label) is assumed")
      }
      do throws(GeometryError) {
        projections.append(try NetworkProjection(from: source, to: reference))
      } catch {
        throw PlumbError("\(layer.label)", error)
      }
      if let source, let reference,
        let uncertainty = Transformation.warning(from: source, to: reference, area: nil)
      {
        warnings.append("\(layer.label): \(uncertainty)")
      }
    }
    self.projections = projections
  }

  /// Reports that more features were read.
  package func count(_ more: Int) {
    done += more
    let share = expected.flatMap { $0 > 0 ? min(1, Double(done) / Double($0)) : nil }
    progress(share, done)
  }
}

/// Finds the positions of ids after an error about a duplicate or missing id.
struct NetworkIdentifiers {
  package struct Part {
    package var layer: NetworkLayer
    package var sourceID: Int
    package var sourceName: String
    package var id: (Feature, Int64) throws -> String
  }

  package var parts: [Part]
  /// Visits the ends of all associations, with the position of the association and the name of the element.
  package var associations: ((String, ElementName) throws -> Void) throws -> Void = { _ in }

  /// The error for the first duplicate id of a source, with both positions; nil if there is none.
  package func duplicate() throws -> PlumbError? {
    var seen: [ElementName: (part: Int, row: Int)] = [:]
    var found: PlumbError?
    for (index, part) in parts.enumerated() where found == nil {
      try part.layer.forEach { feature, number, row in
        guard found == nil else { return }
        let name = ElementName(sourceID: part.sourceID, globalID: try part.id(feature, number))
        guard let first = seen.updateValue((index, row), forKey: name) else { return }
        let other = first.part == index ? "" : "\(parts[first.part].layer.label), "
        found = PlumbError(
          "\(part.layer.label), feature \(row): \(part.sourceName.printable):"
            + "\(name.globalID.printable) occurs twice; \(other)feature \(first.row) has it too")
      }
    }
    return found
  }

  /// Returns the error for the first association that refers to a missing element; nil if there is
  /// none.
  func dangling() throws -> PlumbError? {
    var known: Set<ElementName> = []
    for part in parts {
      try part.layer.forEach { feature, number, _ in
        known.insert(
          ElementName(sourceID: part.sourceID, globalID: try part.id(feature, number)))
      }
    }
    var found: PlumbError?
    try associations { point, name in
      guard found == nil, !known.contains(name) else { return }
      let near = NameSuggestions.nearest(
        name.globalID, among: known.lazy.filter { $0.sourceID == name.sourceID }.map(\.globalID))
      let source = parts.first { $0.sourceID == name.sourceID }?.sourceName ?? "\(name.sourceID)"
      let advice =
        near.isEmpty ? "" : "; did you mean \(near.map(\.printable).joined(separator: " or "))?"
      found = PlumbError(
        "\(point): \(source.printable):\(name.globalID.printable) is not in the network\(advice)")
    }
    return found
  }
}
