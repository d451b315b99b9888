import Foundation
import PlumbTestSupport
import Testing

/// If the user does not name a file as remote, it causes no requests, regardless of its content.
@Suite struct NetworkAccessTests {
  private static let square =
    #""features":[{"type":"Feature","properties":{"id":1},"geometry":{"type":"Polygon","#
    + #""coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}}]}"#

  private static func vrt(_ source: String) -> String {
    """
    <VRTDataset rasterXSize="4" rasterYSize="3"><GeoTransform>0,1,0,0,0,-1</GeoTransform>
    <VRTRasterBand dataType="Byte" band="1">
    <SimpleSource><SourceFilename relativeToVRT="0">\(source)</SourceFilename>
    <SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>
    """
  }

  /// Hostile files, and a file that proves that the listener counts connections.
  private static func folder(_ listener: LoopbackListener) throws -> Fixture {
    let fixture = try Fixture()
    let remote = "/vsicurl/" + listener.url
    for type in ["link", "url"] {
      let key = type == "link" ? "href" : "url"
      try fixture.folder.write(
        type + ".geojson",
        #"{"type":"FeatureCollection","crs":{"type":"\#(type)","properties":{"\#(key)":"#
          + #""\#(listener.url)","href":"\#(listener.url)","type":"ogcwkt"}},"# + square)
    }
    try fixture.folder.write(
      "name.geojson",
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"\#(listener.url)"}},"#
        + square)
    let metadata = { (file: String) in
      "<PAMDataset><Metadata domain=\"OVERVIEWS\"><MDI key=\"OVERVIEW_FILE\">\(file)</MDI></Metadata>"
        + "</PAMDataset>"
    }
    for (name, file) in [
      ("aux", remote), ("streaming", "/vsicurl_streaming/" + listener.url),
      ("bare", listener.url), ("zip", "/vsizip//vsicurl/" + listener.url + ".zip/a.tif"),
      ("wms", "WMS:" + listener.url),
    ] {
      try fixture.grid(name + ".tif")
      try fixture.folder.write(name + ".tif.aux.xml", metadata(file))
    }
    for (name, side) in [("ovr", ".ovr"), ("msk", ".msk"), ("upper", ".OVR")] {
      try fixture.grid(name + ".tif")
      try fixture.folder.write(name + ".tif" + side, vrt(remote))
    }
    try fixture.grid("srs.tif")
    try fixture.folder.write(
      "srs.tif.aux.xml", "<PAMDataset><SRS>\(listener.url)</SRS></PAMDataset>")
    try fixture.folder.write("source.vrt", vrt(remote))
    try fixture.folder.write(
      "attribute.vrt",
      #"<VRTDataset rasterXSize="4" rasterYSize="3"><GeoTransform>0,1,0,0,0,-1</GeoTransform>"#
        + #"<VRTRasterBand dataType="Byte" band="1">"#
        + #"<SimpleSource SourceFilename="\#(remote)"><SourceBand>1</SourceBand></SimpleSource>"#
        + "</VRTRasterBand></VRTDataset>")
    try fixture.folder.write(
      "layer.vrt",
      #"<OGRVRTDataSource><OGRVRTLayer name="layer" SrcDataSource="\#(remote)"/>"#
        + "</OGRVRTDataSource>")
    return fixture
  }

  private static let rasters = [
    "aux.tif", "streaming.tif", "bare.tif", "zip.tif", "wms.tif", "ovr.tif", "msk.tif",
    "upper.tif", "srs.tif", "source.vrt", "attribute.vrt",
  ]
  private static let features = ["link.geojson", "url.geojson", "name.geojson", "layer.vrt"]

  @Test func documents() throws {
    let listener = try LoopbackListener()
    let fixture = try Self.folder(listener)
    for (names, type) in [(Self.rasters, "RasterLayer"), (Self.features, "ArcGISFeatureLayer")] {
      for name in names {
        try fixture.folder.write(
          "map.json",
          #"{"operationalLayers":[{"id":"a","layerType":"\#(type)","url":"\#(name)"}]}"#)
        let map = fixture.path("map.json")
        for arguments in [
          ["identify", map, "--at", "1,-1", "--crs", "EPSG:4326"], ["info", map],
        ] {
          let run = try plumb(arguments)
          #expect(listener.count == 0, "\(name): \(arguments[0]): \(run)")
        }
      }
    }
    for name in Self.features {
      try fixture.folder.write(
        "net.json",
        #"{"lines":[{"path":"\#(name)"}],"points":[{"path":"\#(name)"}]}"#)
      let run = try plumb(["trace", fixture.path("net.json"), "--start", "line:1"])
      #expect(listener.count == 0, "\(name): \(run)")
      #expect(run.status != 0)
    }
  }

  @Test func arguments() throws {
    let listener = try LoopbackListener()
    let fixture = try Self.folder(listener)
    for name in Self.rasters {
      for arguments in [
        ["identify", fixture.path(name), "--at", "1,-1"], ["info", fixture.path(name)],
      ] {
        let run = try plumb(arguments)
        #expect(listener.count == 0, "\(name): \(run)")
      }
    }
    let grid = try fixture.grid()
    for name in Self.features {
      let path = fixture.path(name)
      for arguments in [
        ["identify", grid, "--points", path], ["buffer", path, "--distance", "1"],
        ["monitor", "--fences", path, "--feed", path], ["info", path],
      ] {
        let run = try plumb(arguments)
        #expect(listener.count == 0, "\(name): \(run)")
      }
    }
    // An address that the user names is requested.
    _ = try plumb(["identify", "/vsicurl/" + listener.url + ".tif", "--at", "1,-1"])
    #expect(listener.count > 0)
  }
}
