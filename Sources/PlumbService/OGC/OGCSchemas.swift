/// The parameters and schemas to which the operations of the OpenAPI document refer.
enum OGCSchemas {
  private static let day =
    #"[0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)"#
    + #"|(0[13578]|1[02])-31)"#
  private static let time =
    day
    + #"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?"#
  private static var period: String {
    let pattern = #"^(\#(time)|\#(time)/\#(time)|\#(time)/(\.\.)?|(\.\.)?/\#(time))$"#
    return pattern.replacingBackslashes
  }
  private static var heights: String {
    let number = #"-?[0-9]{1,9}(\.[0-9]{1,9})?"#
    return #"^(\#(number)(,\#(number))*|\#(number)/\#(number)|R[0-9]{1,4}/\#(number)/\#(number))$"#
      .replacingBackslashes
  }

  static var parameters: String {
    """
    {"limit":{"name":"limit","in":"query","required":false,"style":"form","explode":false,\
    "description":"The maximum number of features in a page, at most \(FeatureItems.maximumLimit)",\
    "schema":{"type":"integer","minimum":1,"default":\(FeatureItems.defaultLimit)}},\
    "offset":{"name":"offset","in":"query","required":false,"style":"form","explode":false,\
    "description":"The number of features before the page",\
    "schema":{"type":"integer","minimum":0,"default":0}},\
    "bbox":{"name":"bbox","in":"query","required":false,"style":"form","explode":false,\
    "description":"Features that intersect this box: the minimum, then the maximum coordinates in the \
    axis order of `bbox-crs`. If the first longitude is the greater, the box crosses 180 degrees. \
    Heights are ignored. A box whose lower edge is above the upper edge is empty.",\
    "schema":{"type":"array","items":{"type":"number"},"oneOf":[{"minItems":4,"maxItems":4},\
    {"minItems":6,"maxItems":6}]}},\
    "datetime":{"name":"datetime","in":"query","required":false,"style":"form","explode":false,\
    "description":"A time, or a start and an end separated by a slash, either of which may be `..` for an \
    open end. For features, it applies to the first property with dates. For rasters with dates, it \
    selects the dates; the default is the last date.",\
    "schema":{"type":"string","pattern":"\(period)","example":"2026-05-01T00:00:00Z/.."}},\
    "z":{"name":"z","in":"query","required":false,"style":"form","explode":false,\
    "description":"Heights; they do not affect the values","schema":{"type":"string",\
    "pattern":"\(heights)"}}}
    """
  }

  static let schemas = """
    {"object":{"type":"object"},\
    "link":{"type":"object","required":["href","rel"],"properties":{"href":{"type":"string"},\
    "rel":{"type":"string"},"type":{"type":"string"},"title":{"type":"string"}}},\
    "links":{"type":"array","items":{"$ref":"#/components/schemas/link"}},\
    "landing":{"type":"object","required":["title","links"],"properties":{"title":\
    {"type":"string"},"description":{"type":"string"},"links":{"$ref":\
    "#/components/schemas/links"}}},\
    "conformance":{"type":"object","required":["conformsTo"],"properties":{"conformsTo":\
    {"type":"array","items":{"type":"string"}}}},\
    "collection":{"type":"object","required":["id","links","crs","extent"],"properties":{"id":\
    {"type":"string"},"title":{"type":"string"},"itemType":{"type":"string"},"crs":{"type":\
    "array","items":{"type":"string"}},"storageCrs":{"type":"string"},"extent":{"type":"object",\
    "required":["spatial"],"properties":{"spatial":{"type":"object","required":["bbox","crs"],\
    "properties":{"bbox":{"type":"array","minItems":1,"items":{"type":"array","minItems":4,\
    "maxItems":4,"items":{"type":"number"}}},"crs":{"type":"string"}}},"temporal":{"type":\
    "object"}}},"data_queries":{"type":"object"},"parameter_names":{"type":"object"},\
    "output_formats":{"type":"array","items":{"type":"string"}},"links":{"$ref":\
    "#/components/schemas/links"}}},\
    "collections":{"type":"object","required":["links","collections"],"properties":{"links":\
    {"$ref":"#/components/schemas/links"},"collections":{"type":"array","items":{"$ref":\
    "#/components/schemas/collection"}}}},\
    "geometry":{"type":"object","nullable":true,"required":["type","coordinates"],"properties":\
    {"type":{"type":"string","enum":["Point","MultiPoint","LineString","MultiLineString",\
    "Polygon","MultiPolygon"]},"coordinates":{"type":"array","items":{}}}},\
    "feature":{"type":"object","required":["type","id","geometry","properties"],"properties":\
    {"type":{"type":"string","enum":["Feature"]},"id":{"type":"integer"},"geometry":{"$ref":\
    "#/components/schemas/geometry"},"properties":{"type":"object"},"links":{"$ref":\
    "#/components/schemas/links"}}},\
    "featureCollection":{"type":"object","required":["type","features","links","timeStamp",\
    "numberMatched","numberReturned"],"properties":{"type":{"type":"string","enum":\
    ["FeatureCollection"]},"features":{"type":"array","items":{"$ref":\
    "#/components/schemas/feature"}},"links":{"$ref":"#/components/schemas/links"},"timeStamp":\
    {"type":"string","format":"date-time"},"numberMatched":{"type":"integer","minimum":0},\
    "numberReturned":{"type":"integer","minimum":0}}},\
    "points":{"type":"object","required":["type","features","parameters"],"properties":{"type":\
    {"type":"string","enum":["FeatureCollection"]},"parameters":{"type":"object"},"features":\
    {"type":"array","items":{"$ref":"#/components/schemas/feature"}}}},\
    "coverages":{"oneOf":[{"$ref":"#/components/schemas/coverage"},{"type":"object","required":\
    ["type","coverages"],"properties":{"type":{"type":"string","enum":["CoverageCollection"]},\
    "coverages":{"type":"array","items":{"$ref":"#/components/schemas/coverage"}}}}]},\
    "coverage":{"type":"object","required":["type","domain","parameters","ranges"],"properties":\
    {"type":{"type":"string","enum":["Coverage"]},"domain":{"type":"object","required":["type",\
    "domainType","axes","referencing"],"properties":{"type":{"type":"string","enum":["Domain"]},\
    "domainType":{"type":"string","enum":["Point","PointSeries","MultiPoint","MultiPointSeries",\
    "Polygon","MultiPolygon"]},"axes":{"type":"object"},\
    "referencing":{"type":"array","items":{"type":"object"}}}},"parameters":{"type":"object"},\
    "ranges":{"type":"object","additionalProperties":{"type":"object","required":["type",\
    "dataType","values"],"properties":{"type":{"type":"string","enum":["NdArray"]},"dataType":\
    {"type":"string","enum":["integer","float","string"]},"values":{"type":"array","items":\
    {}}}}}}},\
    "problem":{"type":"object","required":["type","title","status","detail"],"properties":\
    {"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},"detail":\
    {"type":"string"}}}}
    """
}

extension String {
  /// The string with backslashes escaped for JSON.
  fileprivate var replacingBackslashes: String {
    split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
  }
}
