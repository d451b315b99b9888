import Plumb
import PlumbIO

extension FeatureRows {
  /// The object id, then the source's fields.
  private var allFields: [EsriField] {
    [EsriField(name: objectIDField, kind: .objectID)] + fields
  }

  /// The kind of shapes, how far they reach and what they are in.
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

  /// The fields, and how they may be asked.
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
    object.add("supportsStatistics", true)
    object.add("supportsAdvancedQueries", true)
    object.add("supportsCoordinatesQuantization", false)
    object.add("useStandardizedQueries", true)
    if fields.contains(where: { $0.kind == .date }) {
      var time = JSONObject()
      time.add("timeZone", "UTC")
      time.add("respectsDaylightSaving", false)
      object.add("dateFieldsTimeReference", time)
    } else {
      object.add("dateFieldsTimeReference", .null)
    }
    var query = JSONObject()
    for name in [
      "supportsPagination", "supportsStatistics", "supportsOrderBy", "supportsDistinct",
      "supportsQueryWithDistance", "supportsReturningQueryExtent", "supportsSqlExpression",
      "supportsHavingClause", "supportsPaginationOnAggregatedQueries", "useStandardizedQueries",
      "supportsCountDistinct",
    ] {
      query.add(name, name != "supportsSqlExpression")
    }
    query.add("supportsTrueCurve", false)
    query.add("supportsQueryWithResultType", false)
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
