import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster
import PlumbSources

/// A remote image service. Values at points are read by `getSamples`, or by `identify` for one
/// point.
final class RemoteImageSource: TileSource {
  let path: String
  let profile: RasterProfile
  let pointValues: PointValues?
  let route = "service"
  var files: [String] { [] }

  /// The maximum number of points in a request.
  static let maximumPoints = 1000
  static let maximumPending = 8

  /// Reads the service's metadata.
  ///
  /// - Throws: if the metadata cannot be read, or is not the metadata of an image service.
  init(
    _ address: ServiceAddress, session: RemoteSession, access: DocumentAccess
  ) throws {
    let root = try session.object(at: address)
    path = address.text
    let extent = try root.required("extent", "an extent")
    let written = try root.firstMember("spatialReference") ?? extent.member("spatialReference")
    let reference = try written?.spatialReference(access)
    var referenceText: [UInt8] = []
    if reference != nil { written?.tree.append(to: &referenceText) }
    guard let box = extent.box(reference) else { throw extent.fault("expected four numbers") }
    let size = SIMD2(
      try root.number("pixelSizeX") ?? 0, try root.number("pixelSizeY") ?? 0)
    let count = Int(try root.member("bandCount")?.integer() ?? 1)
    guard (1...4096).contains(count) else {
      throw root.fault("expected 1 to 4096 bands, found \(count)")
    }
    let type = PixelType(esri: try root.text("pixelType") ?? "UNKNOWN")
    let facts = try root.elements("bandDescriptions") ?? []
    let classes = try Self.classes(root, address, session)
    let bands = try (0..<count).map { number in
      try Band(type, facts.indices.contains(number) ? facts[number] : nil, classes)
    }
    guard let (grid, transform, isKnown) = Self.grid(box, size) else {
      throw extent.fault("expected an extent with a width and a height")
    }
    profile = RasterProfile(
      grid: grid, mapping: .affine(transform), reference: reference?.definition,
      longitudePeriod: reference?.isGeographic == true ? 360 : nil, bands: bands,
      isInterleaved: false)
    let service = RemoteImage(
      address: address, session: session, types: bands.map(\.pixelType),
      referenceText: referenceText.isEmpty ? nil : String(decoding: referenceText, as: UTF8.self))
    pointValues = PointValues(hasCellGrid: isKnown) { service.values(at: $0, bands: $1) }
  }

  func makeReader() throws(RasterError) -> any TileReader {
    throw RasterError("the service is queried at points: its tiles are not supported")
  }

  /// Returns the grid of the cells if the extent is a whole number of cells, otherwise a grid with
  /// a single cell.
  private static func grid(
    _ box: Envelope, _ size: SIMD2<Double>
  ) -> (TileGrid, GridTransform, isKnown: Bool)? {
    let (width, height) = (box.xMax - box.xMin, box.yMax - box.yMin)
    func whole(_ length: Double, _ size: Double) -> Int? {
      guard size > 0, length > 0 else { return nil }
      let cells = length / size
      guard cells < 1e9, (cells - cells.rounded()).magnitude < 1e-3, cells.rounded() >= 1 else {
        return nil
      }
      return Int(cells.rounded())
    }
    guard let columns = whole(width, size.x), let rows = whole(height, size.y) else {
      return GridTransform(coefficients: [box.xMin, width, 0, box.yMax, 0, -height]).map {
        (TileGrid(width: 1, height: 1, tileWidth: 1, tileHeight: 1), $0, false)
      }
    }
    // Computes cell sizes from the extent, because the cell sizes in the metadata are rounded.
    return GridTransform(coefficients: [
      box.xMin, width / Double(columns), 0, box.yMax, 0, -height / Double(rows),
    ]).map {
      let tiles = TileGrid(
        width: columns, height: rows, tileWidth: min(256, columns), tileHeight: min(256, rows))
      return (tiles, $0, true)
    }
  }

  /// Returns the classes of the service's attribute table; nil if there is no usable table.
  ///
  /// - Throws: if the service has an attribute table but does not return the table.
  private static func classes(
    _ root: DocumentNode, _ address: ServiceAddress, _ session: RemoteSession
  ) throws -> ClassTable? {
    guard try root.flag("hasRasterAttributeTable") == true else { return nil }
    let table = try session.object(at: address.appending("rasterAttributeTable"))
    guard let fields = try table.elements("fields"), let rows = try table.elements("features")
    else { return nil }
    let names = fields.compactMap { field -> (name: String, type: String)? in
      guard let name = (try? field.text("name")) ?? nil else { return nil }
      return (name, ((try? field.text("type")) ?? nil) ?? "")
    }
    let words = ["classname", "class_name", "class", "label", "name"]
    let texts = names.filter { $0.type == "esriFieldTypeString" }.map(\.name)
    let label = words.lazy.compactMap { word in texts.first { $0.lowercased() == word } }.first
    guard let label = label ?? texts.first,
      let value = names.first(where: { $0.name.lowercased() == "value" })?.name
    else { return nil }
    var entries: [ClassTable.Entry] = []
    for row in rows {
      guard let attributes = (try? row.member("attributes")) ?? nil,
        let number = (try? attributes.number(value)) ?? nil,
        let name = (try? attributes.text(label)) ?? nil
      else { continue }
      let last = (try? attributes.number("ValueTo")) ?? nil
      entries.append(
        ClassTable.Entry(lower: number, upper: max(number, last ?? number), name: name))
    }
    return entries.isEmpty ? nil : ClassTable(entries: entries)
  }
}

extension PixelType {
  /// Creates the type with one of Esri's names; unknown types are read as doubles.
  fileprivate init(esri word: String) {
    switch word.uppercased() {
    case "U1", "U2", "U4", "U8": self = .uint8
    case "S8": self = .int8
    case "U16": self = .uint16
    case "S16": self = .int16
    case "U32": self = .uint32
    case "S32": self = .int32
    case "F32": self = .float32
    default: self = .float64
    }
  }
}

extension Band {
  /// - Parameter facts: the service's additional metadata about the band; nil for none.
  fileprivate init(
    _ type: PixelType, _ facts: DocumentNode?, _ classes: ClassTable?
  ) throws(DocumentFault) {
    let bandType = try facts?.text("pixelType").flatMap { name in
      PixelType.allCases.first { $0.name == name && !$0.isComplex }
    }
    self.init(
      pixelType: bandType ?? type, scale: try facts?.number("scale") ?? 1,
      offset: try facts?.number("offset") ?? 0, unit: LazyText(try facts?.text("unit")),
      name: try facts?.text("name") ?? "", classes: classes)
  }
}

/// Sends requests to an image service.
private struct RemoteImage: Sendable {
  let address: ServiceAddress
  let session: RemoteSession
  let types: [PixelType]
  let referenceText: String?

  func values(at points: [SIMD2<Double>], bands: [Int]) -> PointValues.Answer {
    var result = PointValues.Answer(values: [])
    do {
      if points.count == 1 {
        result.values = [try parse(identify(points[0]), bands)]
        return result
      }
      let starts = Array(stride(from: 0, to: points.count, by: RemoteImageSource.maximumPoints))
      for group in stride(from: 0, to: starts.count, by: RemoteImageSource.maximumPending) {
        let part = starts[group..<min(starts.count, group + RemoteImageSource.maximumPending)].map {
          points[$0..<min(points.count, $0 + RemoteImageSource.maximumPoints)]
        }
        let pending = try part.map { try begin($0) }
        for (points, one) in zip(part, pending) {
          do {
            result.values += try samples(session.object(of: one).tree, points.count, bands)
          } catch {
            result.values += Array(repeating: nil, count: points.count)
            result.fault = result.fault ?? RasterError(PlumbError(error).message)
          }
        }
      }
    } catch {
      result.fault = RasterError(PlumbError(error).message)
      result.values += Array(repeating: nil, count: points.count - result.values.count)
    }
    return result
  }

  private func geometry(_ geometry: Geometry) throws -> String {
    var text = try EsriJSONGeometry.encode(geometry)
    if let referenceText {
      text.removeLast()
      text += ",\"spatialReference\":\(referenceText)}"
    }
    return text
  }

  private func identify(_ point: SIMD2<Double>) throws -> String? {
    let node = try session.object(
      at: address.appending("identify"),
      [
        ("geometry", try geometry(.point(Point(x: point.x, y: point.y)))),
        ("geometryType", "esriGeometryPoint"), ("returnGeometry", "false"),
        ("returnCatalogItems", "false"),
      ])
    return try node.required("value", "a string").name()
  }

  private func begin(_ points: ArraySlice<SIMD2<Double>>) throws -> RemoteSession.Pending {
    session.begin(
      address.appending("getSamples"),
      [
        ("f", "json"),
        ("geometry", try geometry(.multipoint(Multipoint(VertexList(Array(points)))))),
        ("geometryType", "esriGeometryMultipoint"), ("returnFirstValueOnly", "true"),
        ("interpolation", "RSP_NearestNeighbor"),
      ], maximumBytes: RemoteSession.dataBytes)
  }

  /// Returns the values by point number; nil for a point without a sample.
  private func samples(
    _ tree: JSONTree, _ count: Int, _ bands: [Int]
  ) throws -> [[CellValue?]?] {
    let root = DocumentNode(tree, document: address.appending("getSamples").shown)
    var values: [[CellValue?]?] = Array(
      repeating: Array(repeating: nil, count: bands.count), count: count)
    let list = try root.required("samples", "a list").elements()
    guard try root.flag("exceededTransferLimit") != true else {
      throw root.fault("the service truncates its response after \(list.count) of \(count) points")
    }
    var isKnown = Array(repeating: false, count: count)
    for node in list {
      let id = try node.required("locationId", "a whole number").integer()
      guard let row = Int(exactly: id), values.indices.contains(row) else {
        throw node.fault("there is no point \(id) among the \(count) that were requested")
      }
      // If there are several rasters at a point, the first one is used.
      guard !isKnown[row] else { continue }
      isKnown[row] = true
      values[row] = try parse(try node.member("value")?.name(), bands)
    }
    return values
  }

  /// Parses the bands' values from text such as `12 34` or `NoData`.
  private func parse(_ text: String?, _ bands: [Int]) throws -> [CellValue?] {
    let words = (text ?? "").split { $0 == " " || $0 == "," || $0 == ";" || $0 == "\t" }
    if words.isEmpty || words.count < types.count && words.allSatisfy({ Self.isNothing($0) }) {
      return Array(repeating: nil, count: bands.count)
    }
    guard words.count == types.count else {
      throw PlumbError(
        "\(address.shown): a value of \(words.count) numbers for \(types.count) bands: "
          + "\((text ?? "").printable.prefix(80))", code: .readError)
    }
    return try bands.map { band in
      if Self.isNothing(words[band]) { return nil }
      guard let value = CellValue(types[band], String(words[band])) else {
        throw PlumbError(
          "\(address.shown): \(words[band].prefix(40)) is not a value of \(types[band].name)",
          code: .readError)
      }
      return value
    }
  }

  private static func isNothing(_ word: Substring) -> Bool {
    ["nodata", "null", "nan", "none"].contains(word.lowercased())
  }
}

extension CellValue {
  /// Parses a value of a type; nil if the text is not a value of the type.
  fileprivate init?(_ type: PixelType, _ text: String) {
    if type == .float32 {
      guard let value = Float(text) else { return nil }
      self = .float32(value)
      return
    }
    if type == .float64 {
      guard let value = Double(text) else { return nil }
      self = .float64(value)
      return
    }
    if type == .uint64 {
      guard let value = UInt64(text) else { return nil }
      self = .unsigned(value)
      return
    }
    // Services may write whole numbers as `12.0`.
    guard let value = Int64(text) ?? Double(text).flatMap({ Int64(exactly: $0) }) else {
      return nil
    }
    let range: ClosedRange<Int64>
    switch type {
    case .uint8: range = 0...255
    case .int8: range = -128...127
    case .uint16: range = 0...65535
    case .int16: range = -32768...32767
    case .uint32: range = 0...4_294_967_295
    case .int32: range = -2_147_483_648...2_147_483_647
    default: range = Int64.min...Int64.max
    }
    guard range.contains(value) else { return nil }
    switch type {
    case .uint8, .uint16, .uint32: self = .unsigned(UInt64(value))
    default: self = .signed(value)
    }
  }
}
