import Plumb
import PlumbVerbs

/// Rasters that are sampled together, and their cached tiles.
final class Sampler: Sendable {
  /// One column of the results.
  struct Column: Sendable {
    var name: String
    var raster: Int
    /// The index among the requested bands of the raster.
    var position: Int
    var band: Band
    /// The band number, from 1.
    var number: Int
    /// The type of the values that the caller receives.
    var type: PixelType
    /// Whether scale and offset are applied.
    var isScaled: Bool
  }

  /// The options with which the sampler was opened.
  let options: Identify.Request
  let workers: Workers
  let rasters: [Raster]
  let requests: [RasterSampler.Request]
  /// The dates of each raster; empty if the rasters have no dates.
  private let stacks: [DatedStack]
  let columns: [Column]
  /// Whether any file is at a URL. If so, sampling a single point may take a long time.
  let isRemote: Bool
  let cache: TileCache
  /// The identifiers by CRS, each created on first use.
  private let identifiers = RecentValues<String?, RasterIdentifier>(limit: 8)

  /// - Throws: if a raster cannot be opened or lacks a band.
  init(_ rasters: [String], _ options: Identify.Request) throws {
    self.options = options
    workers = Workers(count: options.threads)
    let opened = try [Raster].open(
      rasters, names: options.names.map { $0.isEmpty ? nil : $0 },
      access: FileAccess.files(options.access), workers: workers, readsDates: true)
    self.rasters = opened
    stacks = try options.stacks(of: opened)
    let bands = options.bandIndices
    requests = try opened.map { raster in
      RasterSampler.Request(options.areCells ? try raster.inCells() : raster, bands: bands)
    }
    cache = TileCache(capacity: options.cacheBytes ?? RunContext.defaultCache)
    try Self.checkBands(requests, options, cache)
    columns = requests.enumerated().flatMap { Self.columns(of: $1, number: $0, options) }
    isRemote = opened.contains { $0.members.contains(where: \.isRemote) }
  }

  /// - Throws: `bad_option` if a raster lacks a requested band.
  private static func checkBands(
    _ requests: [RasterSampler.Request], _ options: Identify.Request, _ cache: TileCache
  ) throws {
    do {
      _ = try RasterSampler(
        requests, resampling: options.resampling ?? .nearest, cache: cache,
        workers: Workers(count: 1))
    } catch {
      let plain = PlumbError(error)
      guard !options.bands.isEmpty, plain.code == .failed else { throw plain }
      throw PlumbError(plain.summary, code: .badOption)
    }
  }

  private static func columns(
    of request: RasterSampler.Request, number: Int, _ options: Identify.Request
  ) -> [Column] {
    let raster = request.raster
    return request.bands.enumerated().map { position, index in
      let band = raster.bands[index]
      let isScaled = options.isScaled && band.isScaled && !band.pixelType.isComplex
      return Column(
        name: raster.bands.count == 1 ? raster.name : "\(raster.name)_\(index + 1)",
        raster: number, position: position, band: band, number: index + 1,
        type: isScaled || options.resampling ?? .nearest != .nearest ? .float64 : band.pixelType,
        isScaled: isScaled)
    }
  }

  /// The identifier of the rasters for points in a CRS.
  ///
  /// - Parameter crs: the CRS of the points; nil for the CRS of the rasters.
  /// - Throws: if the CRS is unknown, or if no CRS is given and the CRSs of the rasters differ.
  func identifier(crs: String?) throws -> RasterIdentifier {
    if options.areCells, crs != nil {
      throw CallError.bad("columns and rows have no CRS: omit the points' CRS")
    }
    return try identifiers.value(of: crs) {
      try RasterIdentifier(
        requests, reference: crs.map { try SpatialReference(userInput: $0) },
        resampling: options.resampling ?? .nearest, cache: cache, workers: workers)
    }
  }

  // MARK: Description

  /// The result of `plumb_sampler_describe`.
  func description() throws -> String {
    var object = JSONObject()
    object.add("columns", list: columns.map(\.json))
    object.add("rasters", list: try requests.indices.map { try json(ofRaster: $0) })
    // The common identifier; nil if the rasters have different CRSs.
    let native = try? identifier(crs: nil)
    object.add("crs", json: native?.reference?.json(withWKT: false) ?? "null")
    object.add("method", (options.resampling ?? .nearest).rawValue)
    object.add("scaled", options.isScaled)
    object.add("threads", workers.count)
    return object.text
  }

  private func json(ofRaster number: Int) throws -> String {
    let raster = requests[number].raster
    var object = JSONObject()
    object.add("name", raster.name)
    object.add("files", texts: raster.members.map(\.path))
    object.add(
      "columns", list: columns.indices.filter { columns[$0].raster == number }.map { "\($0)" })
    let reference = try raster.references[0].map { try SpatialReference($0) }
    object.add("crs", json: reference?.json(withWKT: false) ?? "null")
    if stacks.indices.contains(number) { object.add("dates", texts: stacks[number].dateTexts) }
    return object.text
  }
}

extension Sampler.Column {
  /// The description of a column.
  fileprivate var json: String {
    var object = JSONObject()
    object.add("name", name)
    object.add("raster", raster)
    object.add("band", number)
    object.add("dtype", type.name)
    object.add("stored_dtype", band.pixelType.name)
    object.add("alpha", band.colorInterpretation.lowercased() == "alpha")
    if case .noData(let value) = band.validity {
      object.add("nodata", Self.number(value, of: band.pixelType))
    } else {
      object.add("nodata", .null)
    }
    object.add("scale", Self.number(band.scale))
    object.add("offset", Self.number(band.offset))
    object.add("unit", band.unit)
    object.add("description", band.name)
    return object.text
  }

  private static func number(_ value: Double) -> FieldValue {
    value.isFinite ? .real(value) : .text(value.description)
  }

  private static func number(_ value: NoData, of type: PixelType) -> FieldValue {
    switch value {
    case .real(let number):
      if !type.isFloatingPoint, let whole = Int64(exactly: number) { return .integer(whole) }
      return self.number(number)
    case .integer(let number): return .integer(number)
    case .unsigned(let number): return .json(number.description)
    }
  }
}
