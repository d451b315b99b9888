import PlumbService

/// Requests of clients: addresses, parameters and bodies, up to the reply.
extension ParserTarget {
  static var requests: [ParserTarget] {
    [
      request("esri query request", esriQueries),
      request("esri map request", esriMaps),
      request("geometry service request", geometryService),
      request("ogc request", ogc),
      request("plain request", plain),
      request("monitor request", monitor),
    ]
  }

  private static func request(_ name: String, _ texts: [String]) -> ParserTarget {
    ParserTarget(name, texts: texts, words: words) { bytes in
      guard let service = RequestScene.service, let request = ServiceRequest(bytes) else {
        return false
      }
      _ = (
        request.shownQuery, request.tokenParameter, request.monitorOfEvents,
        request.isPictureRequest
      )
      _ = (request.lastEventParameter, Service.methods(at: request.path))
      let reply = service.reply(request)
      return reply.status < 400 && reply.failure == nil
    }
  }

  private static let words = [
    "&", "=", "%", "%2", "%27", "%ff", "+", "?", "/", "..", ",", "{", "}", "[", "]", ":", ";", "'",
    "\"", "\\", "\n", "f=json", "f=html", "&f=geojson", "4326", "3857", "null", "inf", "-0", "é",
    "OR ", "(", ")", "*", "EMPTY", "esri", "/query", "x", "_",
  ]

  private static let layer = "/arcgis/rest/services/map/FeatureServer/0/query?"

  private static let esriQueries = [
    "GET \(layer)where=a+%3E+1&outFields=*&orderByFields=a+DESC,%22b%22&resultOffset=0&f=json"
      + "&resultRecordCount=2&returnZ=true&geometryPrecision=3&maxAllowableOffset=0.1&outSR=3857",
    "GET \(layer)geometry={x:18.5,'y':-33.5,spatialReference:{wkid:4326}}&outFields=a&f=geojson"
      + "&geometryType=esriGeometryPoint&distance=10&units=esriSRUnit_Foot",
    "GET \(layer)geometry=17,-35,20,-30&inSR={latestWkid:4326}&spatialRel=esriSpatialRelRelation"
      + "&relationParam=T********&returnGeometry=0&f=pjson",
    "GET \(layer)outStatistics=[{statisticType:'count',onStatisticField:'a',"
      + "outStatisticFieldName:'n'},{\"statisticType\":\"stddev\",\"onStatisticField\":\"a\"}]"
      + "&groupByFieldsForStatistics=b&having=count(a)>0&f=json",
    "GET \(layer)f=json&outStatistics=" + statistics(["sum", "min", "max", "avg", "var", "none"]),
    "GET \(layer)f=json&outStatistics=" + statistics(["sum", "MIN", "max", "avg", "var"]),
    "GET \(layer)geometry=x", "GET \(layer)inSR=x", "GET \(layer)inSR={}&f=json",
    "GET \(layer)geometry={x:'NaN',y:1}", "GET \(layer)geometry={xmin:5,ymin:0,xmax:1,ymax:1}",
    "GET \(layer)geometry={rings:[[[0,0],['1e999',1],[1,1]]]}", "GET \(layer)geometry={}",
    "GET \(layer)inSR=EPSG:3857&geometry=0,0,1,1&distance=-1", "GET \(layer)units=x&distance=1",
    "GET \(layer)returnZ=maybe&f=json", "GET \(layer)geometryPrecision=1.5", "GET \(layer)%=%ff",
    "GET \(layer)spatialRel=x", "GET \(layer)returnTrueCurves=true",
    "GET \(layer)maxAllowableOffset=-1",
    "GET \(layer)outStatistics=5", "GET \(layer)objectIds=a&f=json",
    "GET \(layer)f=json&callback=x",
    "POST /arcgis/rest/services/map/FeatureServer/0/query application/pdf\nx",
    "GET \(layer)objectIds=[1,2,9]&returnIdsOnly=true&f=json",
    "GET \(layer)objectIds=1,+3&returnCountOnly=true&returnDistinctValues=true&outFields=a,b",
    "GET \(layer)where=1%3D1&returnExtentOnly=true&returnCountOnly=yes&f=json",
    "GET \(layer)returnDistinctValues=t&outFields=b&f=json",
    "GET \(layer)spatialRel=esriSpatialRelWithin&f=json&geometry={rings:[[[17,-35],[17,-30],"
      + "[20,-30],[20,-35],[17,-35]]],'spatialReference':{'wkt':'EPSG:4326'}}",
    "POST /arcgis/rest/services/map/FeatureServer/0/query application/x-www-form-urlencoded\n"
      + "where=b+LIKE+'it''s'&outFields=*&f=json&token=k",
    "POST /arcgis/rest/services/map/FeatureServer/0/query application/json; charset=utf-8\n"
      + #"{"where":"d > DATE '2026-01-01'","f":"json","outSR":{"wkid":3857},"returnM":false}"#,
    "GET /arcgis/rest/services/map/FeatureServer/0?f=html", "GET /arcgis/rest/services?f=json",
    "GET /arcgis/rest/services/town/UtilityNetworkServer/trace?f=json&traceType=connected"
      + "&traceLocations=[{traceLocationType:'startingPoint',globalId:'A'}]",
    "GET /arcgis/rest/services/town/UtilityNetworkServer/associations/query?f=json"
      + "&elements=[{networkSourceId:1,globalId:'{A}'}]&types=['connectivity']",
    "GET /arcgis/rest/services/town/FeatureServer/0/query?where=1=1&f=json", "GET /health",
  ]

  private static func statistics(_ kinds: [String]) -> String {
    let list = kinds.map { "{statisticType:'\($0)',onStatisticField:'a'}" }
    return "[" + list.joined(separator: ",") + "]"
  }

  private static let esriMaps = [
    "GET /arcgis/rest/services/map/MapServer/identify?geometry=18.5,-33.5&tolerance=3&f=json"
      + "&mapExtent=17,-35,20,-30&imageDisplay=400,400,96&layers=visible:1,+0"
      + "&layerDefs={\"0\":\"a+>+1\"}&returnGeometry=false&sr=4326",
    "GET /arcgis/rest/services/map/MapServer/identify?geometry={xmin:17,ymin:-35,xmax:20,ymax:-30}"
      + "&geometryType=esriGeometryEnvelope&tolerance=0&mapExtent=17,-35,20,-30&layers=top&f=json"
      + "&imageDisplay=4,4&layerDefs=0:a+IS+NULL;1:1=1&returnUnformattedValues=true&sr=4326",
    "GET /arcgis/rest/services/map/MapServer/export?bbox=17,-35,20,-30&bboxSR=4326&f=json"
      + "&size=8,8&format=png32&transparent=true&layers=show:0,1&imageSR=3857&dpi=192",
    "GET /arcgis/rest/services/map/MapServer/export?bbox=17,-35,20,-30&layers=exclude:0&f=image"
      + "&size=4&format=svg",
    "GET /arcgis/rest/services/map/MapServer/identify?geometry=1,2&tolerance=1&mapExtent=0,0,9,9&f=json"
      + "&imageDisplay=4,4&layerDefs={\"9\":\"a\"}",
    "GET /arcgis/rest/services/map/MapServer/identify?"
      + "geometry=1,2&tolerance=1&mapExtent=0,0,9,9&imageDisplay=4,4&layerDefs=x&f=json",
    "GET /arcgis/rest/services/map/MapServer/identify?geometry=1,2&tolerance=1&mapExtent=0,0,9,9&f=json"
      + "&imageDisplay=4,4&layerDefs={\"0\":5}&layers=1,x",
    "GET /arcgis/rest/services/map/MapServer/legend?f=json&size=16,16&dynamicLayers=",
    "GET /arcgis/rest/services/map/MapServer?f=pjson", "GET /arcgis/rest/services/map/MapServer/0",
    "GET /arcgis/rest/services/map_1/ImageServer/getSamples?geometry={points:[[18.2,-33.2],[1,1]]}"
      + "&geometryType=esriGeometryMultipoint&f=json&interpolation=RSP_NearestNeighbor",
    "GET /arcgis/rest/services/map_1/ImageServer/getSamples?geometry={paths:[[[18,-33],[20,-35]]]}"
      + "&sampleCount=5&f=json",
    "GET /arcgis/rest/services/map_1/ImageServer/getSamples?geometry=18,-35,20,-33&sampleCount=9"
      + "&f=json",
    "GET /arcgis/rest/services/map_1/ImageServer/identify?geometry=18.3,-33.3&f=json",
    "GET /arcgis/rest/services/map_1/ImageServer/exportImage?bbox=18,-35,20,-33&size=4,4&f=json",
    "GET /arcgis/rest/services/map_1/ImageServer?f=json",
    "GET /arcgis/rest/services/map_1/ImageServer/getSamples?geometry=18.3,-33.3&f=json&bandIds=0"
      + "&mosaicRule={lockRasterIds:[1],fids:[1]}&pixelSize={x:1,y:1,spatialReference:{wkid:4326}}"
      + "&interpolation=RSP_BilinearInterpolation&renderingRule={rasterFunction:'None'}",
    "GET /arcgis/rest/services/map/FeatureServer/0/query?where=1=1&time=null,0&uniqueIds=[[1],'2']"
      + "&returnUniqueIdsOnly=true&f=json&maxRecordCountFactor=1&quantizationParameters={}",
  ]

  private static func operation(_ name: String, _ parameters: String) -> String {
    "GET /arcgis/rest/services/Utilities/Geometry/GeometryServer/\(name)?\(parameters)&f=json"
  }

  private static let square = "{rings:[[[0,0],[0,4],[4,4],[4,0],[0,0]]]}"
  private static let line = "{paths:[[[0,0],[3,4]]]}"

  private static let geometryService = [
    operation("project", "geometries=18,-33,19,-34&inSR=4326&outSR=3857"),
    operation(
      "project",
      "geometries={geometryType:'esriGeometryPolygon',geometries:[\(square)]}&inSR=3857"
        + "&outSR={wkid:4326}"),
    operation("buffer", "geometries=[\(square)]&inSR=3857&distances=1&unionResults=true"),
    operation("buffer", "geometries=1,2&inSR=4326&distances=10&geodesic=true&unit=9001&outSR=3857"),
    operation("simplify", "geometries=[\(square)]&sr=3857"),
    operation("union", "geometries=[\(square),\(square)]&sr=3857"),
    operation("intersect", "geometries=[\(square)]&geometry={geometry:\(line)}&sr=3857"),
    operation("difference", "geometries=[\(square)]&geometry={x:1,y:1}&sr=3857"),
    operation(
      "distance", "geometry1={x:1,y:1}&geometry2=\(line)&sr=4326&geodesic=1&distanceUnit=9002"),
    operation("lengths", "polylines=[\(line)]&sr=4326&calculationType=geodesic&lengthUnit=9093"),
    operation("areasAndLengths", "polygons=[\(square)]&sr=3857&areaUnit={areaUnit:'esriAcres'}"),
    operation(
      "relation",
      "geometries1=[\(square)]&geometries2=[\(line)]&sr=3857&relationParam=T********"
        + "&relation=esriGeometryRelationRelation"),
    operation("densify", "geometries=[\(line)]&sr=3857&maxSegmentLength=1&lengthUnit=9001"),
    operation("generalize", "geometries=[\(line)]&sr=3857&maxDeviation=1&deviationUnit=9001"),
    operation("convexHull", "geometries=[\(line),{x:5,y:0}]&sr=3857"),
    operation("labelPoints", "polygons=[\(square)]&sr=3857"),
  ]

  private static let ogc = [
    "GET /ogc", "GET /ogc/conformance?f=html", "GET /ogc/collections?f=json", "GET /ogc/api",
    "GET /ogc/collections/map.f?f=json", "GET /ogc/collections/map.f/queryables",
    "GET /ogc/collections/map.f/items?bbox=17,-35,20,-30&limit=2&offset=0&f=json&a=3",
    "GET /ogc/collections/map.f/items?datetime=2026-01-01/..&b=it's&bbox-crs="
      + "http://www.opengis.net/def/crs/EPSG/0/3857&bbox=0,0,0,9,9,9",
    "GET /ogc/collections/map.f/items?datetime=2026-05-01T10:00:00Z&crs="
      + "http://www.opengis.net/def/crs/OGC/1.3/CRS84", "GET /ogc/collections/map.f/items/1",
    "GET /ogc/collections/map.f/items?bbox=170,-35,-170,-30&limit=+5",
    "GET /ogc/collections/map.r/position?coords=POINT(18.2+-33.2)&crs=EPSG:4326&f=CoverageJSON",
    "GET /ogc/collections/map.r/position?coords=MULTIPOINT((18.2+-33.2),(1+1))&f=CSV&z=R5/10/20"
      + "&parameter-name=band1",
    "GET /ogc/collections/map.r/radius?coords=POINT(19+-34)&within=50&within-units=km&f=GeoJSON",
    "GET /ogc/collections/map.r/area?coords=POLYGON((18+-34,19+-34,19+-33,18+-34))&z=10,20",
    "GET /ogc/collections/map.r/trajectory?coords=LINESTRING(18+-33,20+-35)&datetime=2026-05-01",
    "GET /ogc/collections/map.f/items?limit=x", "GET /ogc/collections/map.f/items?limit=0",
    "GET /ogc/collections/map.f/items?none=1", "GET /ogc/collections/map.f/items?limit=1&limit=2",
    "GET /ogc/collections/map.f/items?limit=", "GET /ogc/collections/map.f/items?bbox=1,2",
    "GET /ogc/collections/map.f/items?datetime=x/y", "GET /ogc/collections/map.f/items?f=x",
    "GET /ogc/collections/map.r/radius?coords=POINT(19+-34)&within=x",
    "POST /ogc/collections/map.r/position application/json\n"
      + #"{"coords":"POINT Z(18.2 -33.2 5)","f":"GeoJSON"}"#,
    "POST /ogc/collections/map.r/area application/x-www-form-urlencoded\n"
      + "coords=MULTIPOLYGON(((18 -34,19 -34,19 -33,18 -34)))&f=csv",
  ]

  private static let plain =
    [
      "POST /api/identify application/json\n"
        + #"{"map":"map","at":[[18.5,-33.5],[1,1]],"tolerance":"12px","scale":1000,"max-results":"all"}"#,
      "POST /api/identify application/json\n"
        + #"{"map":"map","at":"18.5,-33.5","layer":"f","where":"a > 1","crs":"EPSG:4326","#
        + #""popups-only":true,"tolerance":"5km","max-results":3,"format":"json"}"#,
      "POST /api/identify application/json\n"
        + #"{"map":"map","at":["18.5,-33.5"],"layers":"show:0,1","resampling":"bi-linear","#
        + #""strict":true}"#,
      "POST /api/sample?map=map&format=jsonl&scaled=true&types=id=text text/csv\n"
        + "id,x,y\n1,18.2,-33.2\n2,\"1\",1\n",
      "POST /api/sample?map=map&layers=show:0 application/geo+json\n"
        + #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":"#
        + #"{"type":"Point","coordinates":[18.2,-33.2]}}]}"#,
      "POST /api/buffer application/json\n"
        + #"{"at":[[18,-33]],"distance":10,"unit":"metre","geodesic":true,"max-deviation":1}"#,
      "POST /api/buffer application/json\n"
        + #"{"features":{"type":"Feature","properties":{"d":5},"geometry":{"type":"LineString","#
        + #""coordinates":[[0,0],[3,4]]}},"distance-field":"d","union":true,"crs":"EPSG:3857"}"#,
      "POST /api/trace application/json\n"
        + #"{"network":"town","type":"connected","start":["A","@30,0,1"],"barrier":"junction:B"}"#,
      "POST /api/trace application/json\n"
        + #"{"network":"town","request":{"traceType":"connected","traceLocations":[{"#
        + #""traceLocationType":"startingPoint","globalId":"A"}]},"format":"geojson"}"#,
      "POST /api/trace application/json\n"
        + #"{"network":"town","type":"isolation","start":"P2","filter":"LENGTH > 1","one-way":"block"}"#,
      #"POST /api/trace application/json\#n{"network":"town","start":"P1","inoperable":["P3","A"]}"#,
      #"POST /api/trace application/json\#n{"network":"town","start":"P1","inoperable":"A:1"}"#,
      #"POST /api/trace application/json\#n{"network":"town","type":"isolation","start":"pipe:P1","#
        + #""inoperable":["junction:A","reservoir:R:1","none:x","A:1"],"condition":"LENGTH > 1"}"#,
    ]
    + [
      "pipe:P9", "A:1", "@1", "@1,2,-3", "@x,y", "@50,50", "junction:A:in", "no:A", "P1:P2:P3", "",
      "P2", "P1:x",
      "@10,0",
    ].map {
      #"POST /api/trace application/json\#n{"network":"town","type":"connected","start":"\#($0)"}"#
    } + [
      "GET /api/page", "GET /api/reference?crs=EPSG:3857", "GET /api/nothing",
    ]

  private static let monitor = [
    "POST /monitor/m/locations application/json\n"
      + #"[{"id":"a","lat":0.5,"lon":0.5,"time":"2026-05-01T12:00:00Z"},{"lat":1}]"#,
    "POST /monitor/m/locations application/x-ndjson\n"
      + #"{"_type":"location","lat":1,"lon":2,"tst":1777636800,"topic":"o/u/d"}"# + "\n{}\n",
    "POST /monitor/m/locations text/csv\nid,time,x,y\nv,2026-05-01T12:00:10Z,0.5,0.5\n",
    "POST /monitor/m/locations application/gpx+xml\n<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\">"
      + "<time>2026-05-01T12:00:10Z</time></trkpt></trkseg></trk></gpx>",
    "POST /monitor/m/locations\n$GPRMC,120010,A,6012.5,N,02454.5,E,1.0,2.0,010526,,\n",
    "GET /monitor", "GET /monitor/m", "GET /monitor/m/entities?limit=5",
    "GET /monitor/m/fences?buffered=false", "GET /monitor/m/events?lastEventId=x-5&token=a%26b",
    "PUT /monitor/m/fences application/geo+json\n"
      + #"{"type":"FeatureCollection","features":[{"type":"Feature","id":2,"properties":{},"#
      + #""geometry":{"type":"Point","coordinates":[0,0]}},{"type":"Feature","id":3,"#
      + #""properties":{"name":"x"},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],"#
      + #"[1,1],[0,0]]]}}]}"#, "GET /monitor/m/replay", "DELETE /monitor/m/replay",
    "POST /monitor/m/locations application/pdf\nx", "PUT /monitor/m/locations\n{}",
    "POST /monitor/m/replay?speed=-1 text/csv\nid,time,x,y\nv,2026-05-01T12:00:10Z,0.5,0.5\n",
    "GET /monitor/none", "GET /monitor/m/none", "GET /monitor/m/entities/x",
    "PUT /monitor/m/fences\nx",
  ]
}
