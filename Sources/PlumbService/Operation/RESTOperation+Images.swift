/// The operations of image services.
extension RESTOperation {
  static let ofImageIdentify: [RESTParameter] = [
    RESTParameter.used("geometry", "sr", "interpolation", "mosaicRule", "pixelSize", "bandIds"),
    geometryType,
    RESTParameter.ignored("returnGeometry", noItems),
    RESTParameter.ignored("returnCatalogItems", noItems),
    RESTParameter.ignored("returnPixelValues", noItems),
    RESTParameter.ignored("maxItemCount", noItems),
    renderingRule,
    RESTParameter.refused("renderingRules", "values are those of the file"),
    dimensions,
  ].flatMap { $0 }

  static let ofSamples: [RESTParameter] = [
    RESTParameter.used(
      "geometry", "sr", "sampleCount", "interpolation", "mosaicRule", "pixelSize", "bandIds"),
    geometryType,
    RESTParameter.ignored("outFields", "files have no attributes"),
    RESTParameter.refused("sampleDistance", "points are placed by sampleCount"),
    RESTParameter.refused(
      "returnFirstValueOnly", "the first file with a value is used", .flag(true)),
    renderingRule, dimensions,
  ].flatMap { $0 }

  static let ofImageStatistics: [RESTParameter] = [
    RESTParameter.used("geometry", "sr", "mosaicRule", "pixelSize", "bandIds"),
    geometryType, renderingRule, dimensions,
  ].flatMap { $0 }

  static let ofImageExport: [RESTParameter] = [
    RESTParameter.used(
      "bbox", "bboxSR", "imageSR", "size", "dpi", "format", "transparent", "mosaicRule", "bandIds",
      "interpolation"),
    RESTParameter.ignored("compression", compressed),
    RESTParameter.ignored("compressionQuality", compressed),
    RESTParameter.ignored("compressionTolerance", compressed),
    RESTParameter.ignored("lercVersion", compressed),
    RESTParameter.refused(
      "pixelType", "pictures have 8 bits per channel", .words(["UNKNOWN", "U8"])),
    RESTParameter.refused("pixelSize", "it is computed from bbox and size"),
    RESTParameter.refused("noData", "cells without a value are those of the file"),
    RESTParameter.refused(
      "noDataInterpretation", "cells without a value are those of the file",
      .words(["esriNoDataMatchAny"])),
    RESTParameter.refused("adjustAspectRatio", "pixels are square", .flag(true)),
    RESTParameter.refused(
      "validateExtent", "an extent outside the raster gives an empty picture", .flag(false)),
    renderingRule, dimensions,
  ].flatMap { $0 }

  static let renderingRule = RESTParameter.refused(
    "renderingRule", "values are those of the file; pictures use the map's renderer", .noFunction)

  /// Parameters of rasters with more than two dimensions.
  private static let dimensions: [RESTParameter] = [
    RESTParameter.used("time"), timeRelation,
    RESTParameter.refused("sliceId", "rasters have no slices"),
    RESTParameter.refused("processAsMultidimensional", "rasters have no slices", .flag(false)),
  ].flatMap { $0 }

  private static let noItems = "there are no catalog items"
  private static let compressed = "pictures are lossless"
}
