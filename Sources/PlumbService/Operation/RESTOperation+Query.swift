/// Queries of layers and tables.
extension RESTOperation {
  /// The parameters of queries of layers in every kind of service.
  static let ofQuery: [RESTParameter] = [
    RESTParameter.used(
      "where", "objectIds", "uniqueIds", "geometry", "inSR", "spatialRel", "relationParam",
      "distance", "units", "time", "outFields", "returnGeometry", "outSR", "geometryPrecision",
      "maxAllowableOffset", "returnZ", "returnM", "orderByFields", "resultOffset",
      "resultRecordCount", "outStatistics", "groupByFieldsForStatistics", "having",
      "returnDistinctValues", "returnIdsOnly", "returnUniqueIdsOnly", "returnCountOnly",
      "returnExtentOnly"),
    geometryType,
    RESTParameter.ignored("cacheHint", "it only affects speed"),
    RESTParameter.ignored("multipatchOption", "no layer has multipatches"),
    RESTParameter.ignored("timeReferenceUnknownClient", "times are in UTC"),
    timeRelation, versions,
    RESTParameter.refused("returnTrueCurves", "shapes have straight edges", .flag(false)),
    RESTParameter.refused("returnCentroid", "shapes are returned in full", .flag(false)),
    RESTParameter.refused("returnEnvelope", "shapes are returned in full", .flag(false)),
    RESTParameter.refused(
      "quantizationParameters", "coordinates are not quantized"),
    RESTParameter.refused("datumTransformation", transformation),
    RESTParameter.refused("featureEncoding", "features are JSON", .words(["esriDefault"])),
    RESTParameter.refused(
      "returnExceededLimitFeatures", "a page of features is always returned", .flag(true)),
    RESTParameter.refused(
      "sqlFormat", "conditions are standardized SQL", .words(["none", "standard"])),
    RESTParameter.refused("collation", "strings are ordered by code point"),
    RESTParameter.refused("resultType", "the page size is fixed", .words(["none"])),
    RESTParameter.refused("maxRecordCountFactor", "the page size is fixed", .number(1)),
    RESTParameter.refused("returnQueryGeometry", "the request contains the shape", .flag(false)),
    RESTParameter.refused("applyVCSProjection", "z is unchanged", .flag(false)),
    RESTParameter.refused("defaultSR", "CRSs are given by inSR and outSR"),
    RESTParameter.refused("parameterValues", "layers have no parameters"),
    RESTParameter.refused("layerParameterValues", "layers have no parameters"),
    RESTParameter.refused("rangeValues", "layers have no ranges"),
    searched, grouped,
  ].flatMap { $0 }

  /// Parameters of text searches.
  private static let searched: [RESTParameter] = ["text", "fullText"].flatMap {
    RESTParameter.refused($0, "text is searched with where, for example NAME LIKE '%text%'")
  }

  /// Parameters that aggregate features by squares on the ground.
  private static let grouped: [RESTParameter] =
    RESTParameter.refused("returnAggIds", squares, .flag(false))
    + ["aggregateIds", "lod", "lodSR", "lodType"].flatMap { RESTParameter.refused($0, squares) }

  private static let squares = "features are not aggregated by grid squares"

  // MARK: Networks

  static let ofTrace: [RESTParameter] = [
    RESTParameter.used(
      "traceType", "traceLocations", "traceConfiguration", "traceConfigurationGlobalId",
      "resultTypes"),
    ofNetwork,
    RESTParameter.refused("async", "the reply contains the result", .flag(false)),
  ].flatMap { $0 }

  static let ofAssociations: [RESTParameter] = [
    RESTParameter.used("elements", "types"), ofNetwork,
    RESTParameter.refused("returnDeletes", "the data have no history", .flag(false)),
  ].flatMap { $0 }

  private static let ofNetwork: [RESTParameter] = [
    RESTParameter.ignored("sessionId", "nothing is edited"),
    RESTParameter.refused("gdbVersion", "the data have only one version", .words(["sde.DEFAULT"])),
    RESTParameter.refused("moment", "the data have no archive"),
  ].flatMap { $0 }
}
