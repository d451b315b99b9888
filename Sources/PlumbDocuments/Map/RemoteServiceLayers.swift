import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// Creates the sublayers of a remote map or feature service.
struct RemoteServiceLayers {
  let target: RemoteTarget
  let overrides: SublayerOverrides

  /// The top-level sublayers, topmost first.
  func sublayers() throws -> [any Layer] {
    let address = try target.service()
    switch address.kind {
    case .map(nil): return try sublayers(ofMap: address)
    case .features(nil): return try sublayers(ofFeatures: address)
    default:
      throw PlumbError(
        "\(address.shown) is not a map service: its address does not end in MapServer",
        code: .badInput)
    }
  }

  private func sublayers(ofMap address: ServiceAddress) throws -> [any Layer] {
    let service = try RemoteMapService(
      address, session: target.session, access: target.access)
    return try ServiceLayers(
      service.nodes, overrides: overrides, attribution: service.attribution
    ) { node, id, properties, settings, kind throws(DocumentFault) in
      switch kind {
      case .raster?:
        let details: DocumentNode
        do {
          details = try service.details(of: id)
        } catch {
          throw node.fault(error)
        }
        return cells(
          service, id, properties, settings.popup ?? Self.popup(details, settings))
      case .feature?, nil:
        let info: RemoteLayerInfo
        var popup = settings.popup
        do {
          let details = try service.details(of: id)
          info = try RemoteLayerInfo(details, access: target.access)
          popup = popup ?? Self.popup(details, settings)
        } catch let error as DocumentFault {
          throw error
        } catch {
          throw node.fault(error)
        }
        let table = service.table(id, info)
        let layer = FeatureLayer(
          properties, table: table, definitionExpression: settings.condition,
          renderer: settings.renderer, popup: popup)
        table.shows = { [weak layer] in layer?.isVisible ?? false }
        return layer
      case .group?: throw node.fault("a group has no features")
      }
    }.sublayers()
  }

  private func sublayers(ofFeatures address: ServiceAddress) throws -> [any Layer] {
    let root = try target.session.object(at: address)
    let nodes = try root.required("layers", "a list").elements()
    return try ServiceLayers(nodes, overrides: overrides, attribution: root.attribution) {
      node, id, properties, settings, kind throws(DocumentFault) in
      guard kind != .raster else { throw node.fault("a feature service has no cells") }
      let table = RemoteFeatureTable(
        address.appending("\(id)"), session: target.session, access: target.access
      ) { node.fault($0).layerError }
      return FeatureLayer(
        properties, table: table, definitionExpression: settings.condition,
        renderer: settings.renderer, popup: settings.popup)
    }.sublayers()
  }

  /// The popup that a service defines for its layer; nil if the map disables the popup.
  private static func popup(
    _ details: DocumentNode, _ settings: LayerSettings
  ) -> PopupDefinition? {
    settings.isPopupDisabled ? nil : (try? details.popup()) ?? nil
  }

  /// Creates a sublayer of cells, which can be identified only at points.
  private func cells(
    _ service: RemoteMapService, _ id: Int64, _ properties: LayerProperties,
    _ popup: PopupDefinition?
  ) -> RemoteLayer {
    RemoteLayer(properties, kind: .raster, popup: popup) {
      RemoteLayer.Source(reference: service.reference) { points, _ in
        do {
          return try service.cells(of: id, at: points).map { result in
            switch result {
            case .success(let items):
              do {
                return RemoteLayer.Answer(
                  elements: try items.map {
                    .cell(try $0.cell(service.reference, service.access, service.address, id))
                  })
              } catch {
                return RemoteLayer.Answer(error: LayerError(code: .readError, error))
              }
            case .failure(let error):
              return RemoteLayer.Answer(error: LayerError(code: .readError, error))
            }
          }
        } catch {
          let failure = RemoteLayer.Answer(error: LayerError(code: .readError, error))
          return points.map { _ in failure }
        }
      }
    }
  }
}

extension RemoteIdentifyResponse.Item {
  /// Returns the result as a cell, with the service's attribute names.
  fileprivate func cell(
    _ reference: SpatialReference?, _ access: DocumentAccess, _ address: ServiceAddress, _ id: Int64
  ) throws -> RasterCell {
    var names = attributes.keys.sorted(by: Self.precedes)
    var values = attributes.mapValues { Self.value($0) }
    if !names.contains("Band_0") {
      // Esri's services return the value of a single band under another name.
      let valueName = names.first { $0.lowercased().hasSuffix("pixel value") }
      let text = valueName.flatMap { attributes[$0] } ?? value ?? .null
      names.insert("Band_0", at: 0)
      values["Band_0"] = Self.value(text)
    }
    let status: SampleStatus = values["Band_0"] == .null ? .nodata : .ok
    var ring: [(x: Double, y: Double)] = []
    if case .polygon(let polygon)? = try shape(reference, access), polygon.rings.count == 1 {
      // Reverses the ring, because cell outlines are counter-clockwise.
      ring = polygon.vertices.xy.reversed().map { ($0.x, $0.y) }
    }
    let bands = max(1, names.count { $0.hasPrefix("Band_") })
    return RasterCell(
      attributes: names.map { ($0, values[$0] ?? .null) },
      status: Array(repeating: status, count: bands), row: -1, column: -1,
      file: address.appending("\(id)").text, footprint: ring)
  }

  /// Orders `Pixel.Type` first, then the bands, then the bands' descriptions.
  private static func precedes(_ first: String, _ second: String) -> Bool {
    func rank(_ name: String) -> Int {
      let words = ["Pixel.Type", "Band_", "Scaled_", "Class_", "Unit_"]
      return words.firstIndex { name.hasPrefix($0) } ?? words.count
    }
    let (one, other) = (rank(first), rank(second))
    if one != other { return one < other }
    return (first.count, first) < (second.count, second)
  }

  private static func value(_ tree: JSONTree) -> RasterCell.Value {
    switch tree {
    case .integer(let number): return .cell(.signed(number))
    case .real(let number): return .cell(.float64(number))
    case .text(let text):
      if ["nodata", "null"].contains(text.lowercased()) { return .null }
      if let number = Int64(text) { return .cell(.signed(number)) }
      if let number = Double(text), number.isFinite { return .cell(.float64(number)) }
      return .text(text)
    default: return .null
    }
  }
}
