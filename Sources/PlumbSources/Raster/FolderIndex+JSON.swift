import PlumbCore
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster

// The index is written as JSON, with the members of `RasterProfile`.

extension FolderIndex {
  package var tree: JSONTree {
    .object([
      "version": .integer(Self.version),
      "tiles": .object(
        tiles.mapValues { tile in
          .object([
            "stamp": .text(tile.stamp), "route": .text(tile.route),
            "files": .list(tile.files.map { .text($0) }), "profile": tile.profile.tree,
          ])
        }),
    ])
  }

  /// - Returns: nil if the index was not written by this version.
  package init?(_ tree: JSONTree) {
    guard tree["version"]?.integer == Self.version, case .object(let tiles)? = tree["tiles"] else {
      return nil
    }
    self.init()
    for (name, tile) in tiles {
      guard !name.contains("/"), let stamp = tile["stamp"]?.string,
        let route = tile["route"]?.string, let files = tile["files"]?.list,
        let profile = tile["profile"].flatMap({ RasterProfile($0) })
      else { return nil }
      // If the CRS refers to other files, the entry is not used and the tile itself is opened.
      if let reference = profile.reference, SpatialReference.file(namedIn: reference) != nil {
        continue
      }
      self.tiles[name] = Tile(
        stamp: stamp, route: route, files: files.compactMap(\.string), profile: profile)
    }
  }
}

extension RasterProfile {
  /// Whether the index can represent the placement of the tile's cells. If not, the tile itself is opened.
  var isPlain: Bool {
    if let reference, SpatialReference.reasonUnreadable(reference) != nil { return false }
    return switch mapping {
    case .affine, .source, .none: note == nil
    case .axes: false
    }
  }

  fileprivate var tree: JSONTree {
    var members: [String: JSONTree] = [
      "size": .integers([grid.width, grid.height]),
      "tile": .integers([grid.tileWidth, grid.tileHeight]),
      "bands": .list(bands.map(\.tree)), "interleaved": .boolean(isInterleaved),
    ]
    if case .affine(let transform) = mapping {
      members["transform"] = .list(transform.coefficients.map { .real($0) })
    }
    if case .none(let reason) = mapping { members["unplaced"] = .text(reason) }
    if let reference { members["reference"] = .text(reference) }
    if let longitudePeriod { members["period"] = .real(longitudePeriod) }
    return .object(members)
  }

  fileprivate init?(_ tree: JSONTree) {
    guard let size = tree["size"]?.integers, size.count == 2, let tile = tree["tile"]?.integers,
      tile.count == 2, (size + tile).allSatisfy({ (1...Int(Int32.max)).contains($0) }),
      let bands = tree["bands"]?.list, let isInterleaved = tree["interleaved"]?.boolean
    else { return nil }
    let mapping: GridMapping
    if let coefficients = tree["transform"]?.list {
      guard let transform = GridTransform(coefficients: coefficients.compactMap(\.number)) else {
        return nil
      }
      mapping = .affine(transform)
    } else {
      mapping = tree["unplaced"]?.string.map { .none(reason: $0) } ?? .source
    }
    let known = bands.compactMap { Band($0) }
    guard let first = known.first, known.count == bands.count,
      // The index may not be trustworthy, so a tile's size is limited as for all rasters.
      tile[0] <= GDALRasterSource.largestTile / tile[1],
      known.reduce(0, { $0 + $1.pixelType.byteCount })
        <= GDALRasterSource.largestTile / (tile[0] * tile[1]) || !isInterleaved,
      known.allSatisfy({ band in
        if case .alpha(let alpha) = band.validity, !known.indices.contains(alpha) { return false }
        return band.pixelType.byteCount <= GDALRasterSource.largestTile / (tile[0] * tile[1])
          && (!isInterleaved || band.pixelType == first.pixelType)
      })
    else { return nil }
    self.init(
      grid: TileGrid(width: size[0], height: size[1], tileWidth: tile[0], tileHeight: tile[1]),
      mapping: mapping, reference: tree["reference"]?.string,
      longitudePeriod: tree["period"]?.number, bands: known, isInterleaved: isInterleaved)
  }
}

extension Band {
  fileprivate var tree: JSONTree {
    var members: [String: JSONTree] = [
      "type": .text(pixelType.name), "scale": .real(scale), "offset": .real(offset),
      "unit": .text(unit), "name": .text(name), "color": .text(colorInterpretation),
    ]
    switch validity {
    case .all: break
    case .noData(.real(let value)):
      members["nodata"] = value.isNaN ? .text("nan") : .real(value)
    case .noData(.integer(let value)): members["nodataInteger"] = .integer(value)
    // A JSON number could lose the last digits.
    case .noData(.unsigned(let value)): members["nodataUnsigned"] = .text(String(value))
    case .alpha(let band): members["alpha"] = .integer(Int64(band))
    case .mask(let meansNoData): members["mask"] = .boolean(meansNoData)
    }
    if let classes {
      members["classes"] = .list(
        classes.entries.map { .list([.real($0.lower), .real($0.upper), .text($0.name)]) })
    }
    if !colors.isEmpty {
      members["colors"] = .list(colors.map { .integer(Int64($0.rgba)) })
    }
    return .object(members)
  }

  fileprivate init?(_ tree: JSONTree) {
    guard let type = tree["type"]?.string,
      let pixelType = PixelType.allCases.first(where: { $0.name == type }),
      let scale = tree["scale"]?.number, let offset = tree["offset"]?.number,
      let unit = tree["unit"]?.string, let name = tree["name"]?.string,
      let color = tree["color"]?.string
    else { return nil }
    var validity = Validity.all
    if let value = tree["nodata"] {
      guard let number = value.string == "nan" ? .nan : value.number else { return nil }
      validity = .noData(.real(number))
    } else if let value = tree["nodataInteger"]?.integer {
      validity = .noData(.integer(value))
    } else if let value = tree["nodataUnsigned"]?.string.flatMap({ UInt64($0) }) {
      validity = .noData(.unsigned(value))
    } else if let band = tree["alpha"]?.integer, band >= 0 {
      validity = .alpha(band: Int(band))
    } else if let meansNoData = tree["mask"]?.boolean {
      validity = .mask(meansNoData: meansNoData)
    }
    let classes = tree["classes"]?.list.map { entries in
      ClassTable(
        entries: entries.compactMap { entry in
          guard let parts = entry.list, parts.count == 3, let lower = parts[0].number,
            let upper = parts[1].number, let name = parts[2].string
          else { return nil }
          return ClassTable.Entry(lower: lower, upper: upper, name: name)
        })
    }
    let colors = tree["colors"]?.integers?.compactMap { UInt32(exactly: $0).map(Color.init(rgba:)) }
    self.init(
      pixelType: pixelType, validity: validity, scale: scale, offset: offset,
      unit: LazyText(unit), name: name, colorInterpretation: color, classes: classes,
      colors: colors ?? [])
  }
}

extension JSONTree {
  fileprivate subscript(name: String) -> JSONTree? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  fileprivate var string: String? { if case .text(let text) = self { text } else { nil } }
  fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  fileprivate var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }
  fileprivate var list: [JSONTree]? { if case .list(let elements) = self { elements } else { nil } }
  fileprivate var integers: [Int]? { list?.compactMap { $0.integer.map { Int($0) } } }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  fileprivate static func integers(_ numbers: [Int]) -> JSONTree {
    .list(numbers.map { .integer(Int64($0)) })
  }
}
