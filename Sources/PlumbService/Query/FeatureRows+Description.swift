import Plumb
import PlumbIO

extension FeatureRows {
  /// The capabilities of queries, each with the parameter on which it depends.
  private static let capabilities: [(name: String, parameter: String)] = [
    ("supportsPagination", "resultOffset"), ("supportsStatistics", "outStatistics"),
    ("supportsOrderBy", "orderByFields"), ("supportsDistinct", "returnDistinctValues"),
    ("supportsQueryWithDistance", "distance"),
    ("supportsReturningQueryExtent", "returnExtentOnly"), ("supportsHavingClause", "having"),
    ("supportsTrueCurve", "returnTrueCurves"), ("supportsQueryWithResultType", "resultType"),
    ("supportsReturningGeometryCentroid", "returnCentroid"),
    ("supportsReturningGeometryEnvelope", "returnEnvelope"),
    ("supportsQueryWithDatumTransformation", "datumTransformation"),
    ("supportsQueryWithHistoricMoment", "historicMoment"),
    ("supportsMaxRecordCountFactor", "maxRecordCountFactor"), ("supportsLod", "lod"),
    ("supportsDefaultSR", "defaultSR"), ("supportsFullTextSearch", "fullText"),
    ("supportsTimeRelation", "timeRelation"),
  ]

  /// The settings for `time` filters; nil for a layer without a time.
  private var timeInfo: JSONObject? {
    guard let timeField else { return nil }
    var reference = JSONObject()
    reference.add("timeZone", "UTC")
    reference.add("respectsDaylightSaving", false)
    var options = JSONObject()
    options.add("useTime", true)
    options.add("timeDataCumulative", false)
    options.add("timeOffset", .null)
    options.add("timeOffsetUnits", .null)
    var object = JSONObject()
    object.add("startTimeField", fields[timeField].name)
    object.add("endTimeField", .null)
    object.add("trackIdField", .null)
    let ends = timeExtent.map { [$0.first, $0.last] } ?? []
    object.add("timeExtent", list: ends.map { String($0) })
    object.add("timeReference", reference)
    object.add("timeInterval", .null)
    object.add("timeIntervalUnits", .null)
    object.add("exportOptions", options)
    object.add("hasLiveData", false)
    return object
  }

  /// The object id field, followed by the source's fields.
  private var allFields: [EsriField] {
    [EsriField(name: objectIDField, kind: .objectID)] + fields
  }

  /// Adds the geometry type, the extent and the CRS.
  func describeShapes(in object: inout JSONObject) {
    if let shape {
      object.add("geometryType", shape.rawValue)
    }
    var extent = extent ?? .empty()
    extent.spatialReference = reference
    object.add("extent", extent.json)
    if let reference = reference {
      object.add("sourceSpatialReference", reference.json)
      object.add("spatialReference", reference.json)
    }
  }

  /// Adds the fields and the query capabilities.
  func describeFields(in object: inout JSONObject) {
    object.add("displayField", displayField)
    object.add("objectIdField", objectIDField)
    var unique = JSONObject()
    unique.add("name", objectIDField)
    unique.add("isSystemMaintained", true)
    object.add("uniqueIdField", unique)
    object.add("globalIdField", "")
    object.add("typeIdField", "")
    object.add("types", [])
    object.add("templates", [])
    object.add("fields", allFields.map(\.json))
    object.add("indexes", [])
    object.add("relationships", [])
    object.add("hasZ", hasZ)
    object.add("hasM", hasM)
    object.add("hasAttachments", false)
    object.add("htmlPopupType", "esriServerHTMLPopupTypeNone")
    object.add("hasStaticData", true)
    object.add("canModifyLayer", false)
    object.add("canScaleSymbols", false)
    object.add("maxRecordCount", ServiceLimits.records)
    object.add("standardMaxRecordCount", ServiceLimits.records)
    object.add("supportedQueryFormats", "JSON, geoJSON")
    object.add("supportsStatistics", RESTOperation.featureQuery.uses("outStatistics"))
    object.add("supportsAdvancedQueries", RESTOperation.featureQuery.uses("orderByFields"))
    object.add(
      "supportsCoordinatesQuantization", RESTOperation.featureQuery.uses("quantizationParameters"))
    object.add("useStandardizedQueries", true)
    if fields.contains(where: { $0.kind == .date }) {
      var time = JSONObject()
      time.add("timeZone", "UTC")
      time.add("respectsDaylightSaving", false)
      object.add("dateFieldsTimeReference", time)
    } else {
      object.add("dateFieldsTimeReference", .null)
    }
    if let timeInfo { object.add("timeInfo", timeInfo) }
    var query = JSONObject()
    for (name, parameter) in Self.capabilities {
      query.add(name, RESTOperation.featureQuery.uses(parameter))
    }
    query.add("supportsSqlExpression", false)
    query.add("supportsPaginationOnAggregatedQueries", true)
    query.add("supportsCountDistinct", true)
    query.add("useStandardizedQueries", true)
    object.add("advancedQueryCapabilities", query)
    object.add(
      "supportedSpatialRelationships",
      texts: [
        "esriSpatialRelIntersects", "esriSpatialRelContains", "esriSpatialRelCrosses",
        "esriSpatialRelEnvelopeIntersects", "esriSpatialRelIndexIntersects",
        "esriSpatialRelOverlaps", "esriSpatialRelTouches", "esriSpatialRelWithin",
        "esriSpatialRelRelation",
      ])
  }
}
