import Plumb
import PlumbDrawing
import PlumbFormats
import PlumbIO

/// Handles requests below `{name}/ImageServer`.
struct ImageServer {
  private let service: ImageService
  private let request: ServiceRequest

  init(_ service: ImageService, _ request: ServiceRequest) {
    (self.service, self.request) = (service, request)
  }

  func content(
    _ path: [String], _ parameters: Parameters, _ form: ReplyForm
  ) throws -> ReplyContent {
    switch (path.first?.lowercased(), path.count) {
    case (nil, _): return .json(try description())
    case ("identify", 1): return try identify(parameters)
    case ("getsamples", 1): return try ImageSamples(parameters, of: service).content()
    case ("computestatisticshistograms", 1):
      return try ImageStatistics(parameters, of: service).content(hasStatistics: true)
    case ("computehistograms", 1):
      return try ImageStatistics(parameters, of: service).content(hasStatistics: false)
    case ("rasterattributetable", 1):
      guard let classes = try service.raster().bands.first?.classes else {
        throw ServiceError("The service has no raster attribute table.", kind: .notFound)
      }
      return .json(ImageClasses(table: classes).json)
    case ("exportimage", 1): return try export(parameters, form)
    default: throw ServiceError.notFound("Invalid URL")
    }
  }

  private func description() throws -> JSONObject {
    let raster = try service.raster()
    let reference = try service.reference()
    let extent = try service.extent() ?? .empty(reference)
    let cell = try service.cellSize()
    var object = JSONObject()
    object.add("currentVersion", json: ServiceVersion.text)
    object.add("serviceDescription", "")
    object.add("name", service.name)
    object.add("description", "")
    object.add("extent", extent.json)
    object.add("initialExtent", extent.json)
    object.add("fullExtent", extent.json)
    object.add("spatialReference", reference.json)
    object.add("pixelSizeX", cell.x)
    object.add("pixelSizeY", cell.y)
    object.add("bandCount", raster.bands.count)
    object.add(
      "bandNames",
      texts: raster.bands.enumerated().map { number, band in
        band.name.isEmpty ? "Band_\(number + 1)" : band.name
      })
    object.add("pixelType", raster.bands.first?.pixelType.esri ?? "UNKNOWN")
    object.add("minPixelSize", 0)
    object.add("maxPixelSize", 0)
    object.add("copyrightText", service.layer.layer.properties.attribution)
    object.add("serviceDataType", "esriImageServiceDataTypeGeneric")
    for name in ["minValues", "maxValues", "meanValues", "stdvValues"] {
      object.add(name, texts: [])
    }
    object.add("objectIdField", "")
    object.add("fields", [])
    object.add("capabilities", "Image,Pixels")
    object.add("defaultMosaicMethod", "None")
    object.add("allowedMosaicMethods", raster.isMosaic ? "None,LockRaster" : "None")
    object.add("sortField", "")
    object.add("sortValue", .null)
    object.add("mosaicOperator", "First")
    object.add("maxRecordCount", ServiceLimits.records)
    object.add("maxImageHeight", ServiceLimits.pictureSide)
    object.add("maxImageWidth", ServiceLimits.pictureSide)
    object.add("exportTilesAllowed", false)
    object.add("hasHistograms", true)
    object.add("hasColormap", raster.bands.first?.colors.isEmpty == false)
    object.add("hasRasterAttributeTable", raster.bands.first?.classes != nil)
    object.add("bandDescriptions", raster.bands.map(Self.description))
    object.add("allowRasterFunction", RESTOperation.imageExport.uses("renderingRule"))
    object.add("rasterFunctionInfos", [])
    object.add("defaultResamplingMethod", "Nearest")
    object.add("defaultCompressionQuality", 0)
    object.add("mensurationCapabilities", "None")
    object.add("minScale", 0)
    object.add("maxScale", 0)
    object.add("rasterTypeInfos", [])
    object.add("editFieldsInfo", .null)
    object.add("ownershipBasedAccessControlForRasters", .null)
    for name in [
      "allowComputeTiePoints", "allowAnalysis", "allowCopy", "hasMultidimensions",
      "sortAscending", "supportsStatistics", "supportsAdvancedQueries", "useStandardizedQueries",
    ] {
      object.add(name, false)
    }
    var query = JSONObject()
    for name in [
      "supportsPagination", "supportsStatistics", "supportsOrderBy", "supportsDistinct",
      "useStandardizedQueries",
    ] {
      query.add(name, false)
    }
    object.add("advancedQueryCapabilities", query)
    if let period = try service.dates()?.period { object.add("timeInfo", Self.timeInfo(period)) }
    return object
  }

  /// Returns the extent in time, in milliseconds since 1970.
  private static func timeInfo(_ period: ClosedRange<Int64>) -> JSONObject {
    var reference = JSONObject()
    reference.add("timeZone", "UTC")
    reference.add("respectsDaylightSaving", false)
    var time = JSONObject()
    time.add("startTimeField", "StdTime")
    time.add("endTimeField", .null)
    time.add("timeExtent", json: "[\(period.lowerBound),\(period.upperBound)]")
    time.add("timeReference", reference)
    return time
  }

  /// Returns the properties of a band for which Esri's protocol has no members.
  private static func description(_ band: Band) -> JSONObject {
    var object = JSONObject()
    object.add("name", band.name)
    object.add("pixelType", band.pixelType.name)
    object.add("scale", band.scale)
    object.add("offset", band.offset)
    object.add("unit", band.unit)
    return object
  }

  private func identify(_ parameters: Parameters) throws -> ReplyContent {
    let (geometry, reference) = try parameters.geometry(for: service)
    let centre =
      if case .point(let point) = geometry { point } else {
        try GeometryEngine.centroid(of: geometry)
      }
    guard !centre.isEmpty else { throw ServiceError("'geometry' parameter is invalid: empty") }
    let times = try ImageTimes(parameters, of: service)
    // The last date is the topmost.
    var found: [(value: String, date: Int?)] = []
    var warnings: [String] = []
    for index in (times.indices ?? []).reversed() {
      let choice = try ImageChoice(parameters, of: service, ImageTimes(index))
      found.append((try text(at: centre.xy, reference, choice, &warnings), index))
    }
    if times.indices == nil {
      let choice = try ImageChoice(parameters, of: service, times)
      let last = try service.dates().map { $0.dates.count - 1 }
      found = [(try text(at: centre.xy, reference, choice, &warnings), last)]
    }
    let value = found.first?.value ?? "NoData"
    var object = JSONObject()
    object.add("objectId", 0)
    object.add("name", "Pixel")
    object.add("value", value)
    var location = JSONObject()
    location.add("x", centre.x)
    location.add("y", centre.y)
    location.add("spatialReference", reference.json)
    object.add("location", location)
    var properties = JSONObject()
    properties.add("Values", texts: found.map(\.value))
    if let dates = try service.dates() {
      let moments = found.compactMap(\.date).map {
        String(dates.dates[$0].microseconds.floorDivided(by: 1000))
      }
      properties.add("StdTime", json: "[" + moments.joined(separator: ",") + "]")
    }
    object.add("properties", properties)
    object.add("catalogItems", .null)
    object.add("catalogItemVisibilities", [])
    return .json(object, warnings: warnings)
  }

  /// The values at a point as text.
  private func text(
    at point: SIMD2<Double>, _ reference: SpatialReference, _ choice: ImageChoice,
    _ warnings: inout [String]
  ) throws -> String {
    let text = TextBuffer(capacity: 64)
    let values = try service.values(at: [point], reference, choice, &warnings)
    ImageSamples.append(values, 0, to: text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private func export(_ parameters: Parameters, _ form: ReplyForm) throws -> ReplyContent {
    let serviceReference = try service.reference()
    let picture = try PictureRequest(parameters, reference: serviceReference)
    guard case .raster(let layer) = service.layer.layer.typed else {
      throw ServiceError("the layer has no raster", status: 500)
    }
    var choice = ImageChoice()
    try ImageTimes(parameters, of: service).apply(to: &choice)
    let raster = try service.raster(choice)
    let bands = try Self.drawnBands(parameters, of: raster, layer.renderer)
    let resampling = try ImageChoice.resampling(parameters)
    choice.members = try MosaicRule.members(parameters, of: raster.members.count)
    let alone = RasterLayer(
      LayerProperties(id: "raster"), raster: try service.raster(choice), renderer: layer.renderer)
    return try picture.content(
      form, href: request.pictureAddress(parameters), cache: service.cache,
      service.settings
    ) { painter in
      (painter.bands, painter.resampling) = (bands, resampling)
      // Without a date in the requested time, the picture is empty.
      if choice.isEmpty { return }
      painter.draw(Map(layers: [alone]))
      // The failed layer is the only layer in the picture.
      if painter.failures > 0 { throw ServiceError(painter.warnings.last ?? "", status: 500) }
    }
  }

  /// Reads `bandIds` for a picture. The bands are either red, green and blue, or a single band; nil
  /// selects the renderer's bands.
  private static func drawnBands(
    _ parameters: Parameters, of raster: Raster, _ renderer: RasterRenderer?
  ) throws(ServiceError) -> [Int]? {
    guard let bands = try ImageChoice.bands(parameters, of: raster) else { return nil }
    let needsOneBand =
      switch renderer {
      case .values, .classes, .shadedRelief: true
      case .stretch, nil: false
      }
    guard bands.count == 1 || bands.count == 3 && !needsOneBand else {
      throw ServiceError(
        "'bandIds' parameter is invalid: a picture "
          + (needsOneBand ? "in the map's colours takes one band" : "takes one band, or three"))
    }
    return bands
  }
}

extension PixelType {
  /// Esri's name for the pixel type.
  var esri: String {
    switch self {
    case .uint8: "U8"
    case .int8: "S8"
    case .uint16: "U16"
    case .int16: "S16"
    case .uint32: "U32"
    case .int32: "S32"
    case .float32: "F32"
    case .float64: "F64"
    case .complexFloat32: "C64"
    case .complexFloat64: "C128"
    case .uint64, .int64, .complexInt16, .complexInt32: "UNKNOWN"
    }
  }
}
