import Plumb
import PlumbCore
import PlumbGeometry
import PlumbIO

/// The description of a collection.
struct CollectionDescription {
  private let collection: OGCCollection
  private let request: ServiceRequest

  init(_ collection: OGCCollection, _ request: ServiceRequest) {
    (self.collection, self.request) = (collection, request)
  }

  private var path: String { "/collections/" + collection.id }
  /// The URL of the collection.
  var address: String { OGCLinks.root(request) + path }

  func object() throws -> JSONObject {
    var object = JSONObject()
    object.add("id", collection.id)
    object.add("title", collection.title)
    switch collection.content {
    case .features(let read): try describe(try read(), in: &object)
    case .raster(let image): try describe(image, in: &object)
    }
    return object
  }

  private func describe(_ rows: FeatureRows, in object: inout JSONObject) throws {
    object.add("itemType", "feature")
    addExtent(
      rows.extent, times: Queryables(rows).timeRange,
      hasReference: rows.reference != nil || rows.extent == nil,
      to: &object)
    addReferences(rows.reference, to: &object)
    var links = OGCLinks(request)
    links.addSelf(path, "application/json", collection.title)
    links.add(path + "/items?f=json", "items", "application/geo+json", "The features")
    links.add(path + "/items?f=html", "items", "text/html", "The features as a page")
    links.add(
      path + "/queryables", "http://www.opengis.net/def/rel/ogc/1.0/queryables",
      "application/schema+json", "The queryable properties")
    object.add("links", links.list)
  }

  private func addReferences(_ storage: SpatialReference?, to object: inout JSONObject) {
    // Coordinates without a CRS are returned unchanged, so the description does not list CRSs.
    guard let storage else { return }
    object.add("crs", texts: OGCReference.all(storage: storage).map(\.address))
    if let address = OGCReference.storageAddress(storage) { object.add("storageCrs", address) }
  }

  private func addExtent(
    _ envelope: Envelope?, times: ClosedRange<Int64>? = nil, dates: RasterDates? = nil,
    hasReference: Bool = true, to object: inout JSONObject
  ) {
    var extent = JSONObject()
    if let box = envelope?.degrees ?? (hasReference ? [-180, -90, 180, 90] : nil) {
      var spatial = JSONObject()
      spatial.add("bbox", json: "[[" + box.map(\.description).joined(separator: ",") + "]]")
      spatial.add("crs", OGCReference.crs84.address)
      extent.add("spatial", spatial)
    }
    if let times {
      var temporal = JSONObject()
      let ends = [times.lowerBound, times.upperBound].map {
        "\"\(ISOTime.text(milliseconds: $0))\""
      }
      temporal.add("interval", json: "[[\(ends.joined(separator: ","))]]")
      if let dates {
        temporal.add("values", texts: dates.texts)
        temporal.add("trs", Self.timeReference)
      }
      extent.add("temporal", temporal)
    }
    object.add("extent", extent)
  }

  // MARK: Rasters

  private static let timeReference =
    #"TIMECRS["DateTime",TDATUM["Gregorian Calendar"],CS[TemporalDateTime,1],AXIS["Time (T)",future]]"#

  private func describe(_ image: ImageService, in object: inout JSONObject) throws {
    let reference = try image.reference()
    let dates = try image.dates()
    addExtent(try image.extent(), times: dates?.period, dates: dates, to: &object)
    addReferences(reference, to: &object)
    object.add("output_formats", texts: OGCForm.data.map { $0.words[0] })
    var links = OGCLinks(request)
    links.addSelf(path, "application/json", collection.title)
    let references = OGCReference.all(storage: reference)
    var queries = JSONObject()
    for kind in OGCRouter.dataQueries {
      links.add(
        "\(path)/\(kind)", "data", "application/prs.coverage+json",
        "Values by \(kind)")
      queries.add(kind, dataQuery(kind, references))
    }
    object.add("data_queries", queries)
    object.add("parameter_names", Self.parameters(try RasterParameter.all(of: image.raster())))
    object.add("links", links.list)
  }

  private func dataQuery(_ kind: String, _ references: [OGCReference]) -> JSONObject {
    var variables = JSONObject()
    variables.add("title", "Values by \(kind)")
    variables.add("query_type", kind)
    variables.add("output_formats", texts: OGCForm.data.map { $0.words[0] })
    variables.add("default_output_format", OGCForm.coverageJSON.words[0])
    if kind == "radius" { variables.add("within_units", texts: DataQuery.units.map(\.name)) }
    variables.add(
      "crs_details",
      references.map { reference in
        var details = JSONObject()
        details.add("crs", reference.address)
        details.add("wkt", reference.wkt)
        return details
      })
    var link = JSONObject()
    link.add("href", "\(address)/\(kind)")
    link.add("rel", "data")
    link.add("variables", variables)
    var query = JSONObject()
    query.add("link", link)
    return query
  }

  private static func parameters(_ list: [RasterParameter]) -> JSONObject {
    var object = JSONObject()
    for parameter in list { object.add(parameter.name, parameter.description) }
    return object
  }
}
