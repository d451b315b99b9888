import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbRaster
import PlumbSources

/// A description of a raster, as text or JSON.
public struct RasterInfo {
  package let raster: Raster
  private let details: RasterDetails
  private let reference: SpatialReference?
  private let geolocationPoints: Int?

  /// - Throws: the errors of `Raster.open`.
  public init(_ argument: String, access: DocumentAccess = .folder) throws {
    let isolated = { @Sendable (path: String) in (access.named ?? .named(path)).isolated() }
    raster = try Raster.open(
      argument, name: nil, workers: Workers(), documents: access, access: isolated)
    let path = raster.members[0].path
    let selected = (raster.members[0] as? BandSelection)?.source ?? raster.members[0]
    let chunked = selected as? any ChunkTileSource
    let known = try chunked?.openGeneral() ?? selected as? GDALRasterSource
    let allowed =
      try raster.memberDates.map {
        try Raster.access(toMember: path, ofDocument: $0.document, access)
      } ?? isolated(path)
    let source = try known ?? GDALRasterSource(path: path, access: allowed)
    var details = source.details
    details.compression = details.compression ?? chunked?.compression
    self.details = details
    geolocationPoints = source.geolocationPoints
    reference = try raster.references[0].map { try SpatialReference($0) }
  }

  private var first: any TileSource { raster.members[0] }

  /// The properties, each as a name and a value.
  private var facts: [(name: String, value: FieldValue)] {
    let profile = first.profile
    var facts: [(name: String, value: FieldValue)] = [
      ("name", .text(raster.name)),
      ("path", .text(first.path)),
      ("files", .integer(Int64(raster.members.count))),
      ("driver", .text(details.driver)),
      ("width", .integer(Int64(profile.grid.width))),
      ("height", .integer(Int64(profile.grid.height))),
      ("crs", reference.map { .text($0.label) } ?? .null),
      ("compression", details.compression.map { .text($0) } ?? .null),
      ("interleaving", details.interleaving.map { .text($0.lowercased()) } ?? .null),
      ("blockWidth", .integer(Int64(details.blockWidth))),
      ("blockHeight", .integer(Int64(details.blockHeight))),
      ("route", .text(first.route)),
    ]
    switch profile.mapping {
    case .affine(let transform):
      facts.append(("geotransform", .json(Self.list(transform.coefficients))))
      if let extent { facts.append(("extent", .json(Self.list(extent)))) }
    case .axes:
      facts.append(("mapping", .text("coordinate variables, not evenly spaced")))
      if let extent { facts.append(("extent", .json(Self.list(extent)))) }
    case .none(let reason):
      facts.append(("mapping", .text("not georeferenced: " + reason)))
    case .source: break
    }
    if let note = profile.note { facts.append(("note", .text(note))) }
    if details.groundControlPoints > 0 {
      facts.append(("groundControlPoints", .integer(Int64(details.groundControlPoints))))
    }
    if facts.allSatisfy({ $0.name != "mapping" }), !details.otherMappings.isEmpty {
      let others = details.otherMappings.joined(separator: ", ")
      let isUsed = if case .source = profile.mapping { true } else { false }
      facts.append((isUsed ? "mapping" : "unusedMapping", .text(others)))
    }
    if let geolocationPoints {
      facts.append(("geolocationPoints", .integer(Int64(geolocationPoints))))
    }
    let overviews = details.overviews.map { "[\($0.width),\($0.height)]" }
    facts.append(("overviews", .json("[" + overviews.joined(separator: ",") + "]")))
    if !details.subdatasets.isEmpty {
      facts.append(("subdatasets", .text(details.subdatasets.joined(separator: ", "))))
    }
    return facts
  }

  /// The extent of the files in the CRS of the first file, as xMin, yMin, xMax and yMax; nil if
  /// unknown.
  private var extent: [Double]? {
    let corners = zip(raster.members, raster.memberReferences).filter { $1 == 0 }
      .flatMap { $0.0.profile.corners ?? [] }
    guard let minX = corners.map(\.x).min(), let maxX = corners.map(\.x).max(),
      let minY = corners.map(\.y).min(), let maxY = corners.map(\.y).max()
    else { return nil }
    return [minX, minY, maxX, maxY]
  }

  private static func list(_ numbers: [Double]) -> String {
    "[" + numbers.map { $0.isFinite ? $0.description : "null" }.joined(separator: ",") + "]"
  }

  private func facts(ofBand index: Int) -> [(name: String, value: FieldValue)] {
    let band = raster.bands[index]
    var facts: [(name: String, value: FieldValue)] = [
      ("band", .integer(Int64(index + 1))), ("type", .text(band.pixelType.name)),
    ]
    switch band.validity {
    case .all: facts.append(("nodata", .null))
    case .noData(let value):
      facts.append(("nodata", Self.number(value, of: band.pixelType)))
    case .alpha(let alpha): facts.append(("mask", .text("alpha band \(alpha + 1)")))
    case .mask(let meansNoData):
      facts.append(("mask", .text(meansNoData ? "nodata of all bands" : "mask band")))
    }
    if band.isScaled {
      facts.append(("scale", .real(band.scale)))
      facts.append(("offset", .real(band.offset)))
    }
    if !band.unit.isEmpty { facts.append(("unit", .text(band.unit))) }
    if !band.name.isEmpty { facts.append(("description", .text(band.name))) }
    facts.append(("color", .text(band.colorInterpretation.lowercased())))
    if let classes = band.classes {
      facts.append(("classes", .integer(Int64(classes.entries.count))))
    }
    return facts
  }

  /// Returns a nodata value as a number. NaN and infinity are returned as strings, because JSON
  /// numbers do not include them.
  private static func number(_ value: NoData, of type: PixelType) -> FieldValue {
    switch value {
    case .real(let number):
      if !type.isFloatingPoint, let whole = Int64(exactly: number) {
        .integer(whole)
      } else {
        number.isFinite ? .real(number) : .text(number.description)
      }
    case .integer(let number): .integer(number)
    case .unsigned(let number): .json(number.description)
    }
  }

  /// The description as one JSON object on one line.
  public var json: String {
    var text: [UInt8] = Array("{".utf8)
    GeoJSONRowText.append(members: facts.map { ($0.name, $0.value) }, to: &text)
    text += Array(",\"bands\":[".utf8)
    for index in raster.bands.indices {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(UInt8(ascii: "{"))
      GeoJSONRowText.append(
        members: facts(ofBand: index).map { ($0.name, $0.value) }, to: &text)
      text.append(UInt8(ascii: "}"))
    }
    text += Array("]}".utf8)
    return String(decoding: text, as: UTF8.self)
  }

  /// The description as text, with one line `name: value` for each property, followed by one line
  /// for each band. A missing value is printed as `none`.
  public var text: String {
    var lines = facts.map { "\($0.name): \($0.value.isNull ? "none" : $0.value.text.printable)" }
    for index in raster.bands.indices {
      let parts = facts(ofBand: index).dropFirst().map {
        "\($0.name) \($0.value.isNull ? "none" : $0.value.text.printable)"
      }
      lines.append("band \(index + 1): " + parts.joined(separator: ", "))
    }
    return lines.joined(separator: "\n")
  }
}
