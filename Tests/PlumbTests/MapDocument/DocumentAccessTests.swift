import Foundation
import PlumbCore
import PlumbTestSupport
import Testing

@testable import Plumb
@testable import PlumbLayers

/// Paths must not lead out of the map's folder, unless the user allows it.
@Suite struct DocumentAccessTests {
  /// `outside/` and `maps/` with real files in both, and a link in `maps` to a file in each.
  private static func folders() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    for name in ["outside", "maps", "maps/in"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    for name in ["outside/o", "maps/m", "maps/in/i", "maps/a b", "maps/x#y"] {
      try folder.write(name + ".geojson", MapDocumentTests.towns)
      try folder.write(
        name + ".asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n7\n")
    }
    for (link, target) in [
      ("maps/out.asc", "../outside/o.asc"), ("maps/away", "../outside"),
      ("maps/same.asc", "m.asc"), ("maps/out.geojson", "../outside/o.geojson"),
    ] {
      try files.createSymbolicLink(
        atPath: folder.path(link), withDestinationPath: target)
    }
    return folder
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONText.append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Nil if the layer loads; otherwise the error without the folder.
  private static func failure(
    _ url: String, in folder: TemporaryFolder, type: String = "RasterLayer",
    access: DocumentAccess = .folder
  ) throws -> String? {
    let path = try folder.write(
      "maps/map.json",
      MapDocumentTests.map(ofLayers: #"{"id":"a","layerType":"\#(type)","url":\#(quoted(url))}"#))
    let layer = try Map.open(path: path, access: access).layers[0]
    return MapDocumentTests.failure(layer, folder)?.replacingOccurrences(
      of: "maps/map.json: operationalLayers[0].url: ", with: "")
  }

  @Test func pathsInTheFolder() throws {
    let folder = try Self.folders()
    for url in [
      "m.asc", "./m.asc", "in/../m.asc", "in/i.asc", "in", "same.asc", "in/*.asc", "a b.asc",
      folder.path("maps/m.asc"), "file://" + folder.path("maps/a%20b.asc"), "file:m.asc",
      "file://localhost" + folder.path("maps/m.asc"), "../maps/m.asc", "x#y.asc",
    ] {
      #expect(try Self.failure(url, in: folder) == nil, "\(url)")
    }
    for url in ["m.geojson", "m.geojson#m", "in/i.geojson", "x#y.geojson", "x#y.geojson#x#y"] {
      #expect(try Self.failure(url, in: folder, type: "ArcGISFeatureLayer") == nil, "\(url)")
    }
    // Percent signs are decoded only in file addresses.
    #expect(try Self.failure("a%20b.asc", in: folder) == "no such file: a%20b.asc")
  }

  @Test func pathsToOutsideTheFolder() throws {
    let folder = try Self.folders()
    for url in [
      "../outside/o.asc", "in/../../outside/o.asc", folder.path("outside/o.asc"), "out.asc",
      "away/o.asc", "away", "../outside/*.asc", "away/*.asc", "*/../../outside/*.asc", "/etc/x*",
      "../outside/none.asc", "/none.asc", "../none*", "file://" + folder.path("outside/o.asc"),
      "file:..%2Foutside/o.asc",
    ] {
      #expect(
        try Self.failure(url, in: folder)?.replacingOccurrences(of: folder.path + "/", with: "")
          == (url.replacingOccurrences(of: folder.path + "/", with: ""))
            + " lies outside the map's folder; this requires access outside the folder",
        "\(url)")
    }
    #expect(
      try Self.failure("out.geojson", in: folder, type: "ArcGISFeatureLayer")
        == "out.geojson lies outside the map's folder; this requires access outside the folder")
    // A pattern or a folder also finds the link.
    #expect(
      try Self.failure("o*.asc", in: folder)
        == "maps/out.asc lies outside the map's folder; this requires access outside the folder")
    for url in ["../outside/o.asc", "out.asc", "away", "../outside/*.asc", "o*.asc"] {
      #expect(try Self.failure(url, in: folder, access: .anywhere) == nil, "\(url)")
    }
  }

  /// Files that GDAL opens together with a file because of their names are treated like this file.
  @Test func linksBesideFiles() throws {
    let folder = try Self.folders()
    let files = FileManager.default
    func link(_ name: String, to target: String) throws {
      try files.createSymbolicLink(
        atPath: folder.path("maps/" + name), withDestinationPath: target)
    }
    for (name, url) in [("m.prj", "m.asc"), ("a b.asc.ovr", "a b.asc"), ("in/i.x", "in/i.asc")] {
      try link(name, to: folder.path("outside/o.asc"))
      #expect(
        try Self.failure(url, in: folder)
          == "\(url) leads to maps/\(name), which lies outside the map's folder; "
          + "this requires access outside the folder")
      #expect(try Self.failure(url, in: folder, access: .anywhere) == nil)
    }
    // Any file in a folder of tiles may be a tile.
    #expect(
      try Self.failure("in", in: folder)
        == "in leads to maps/in/i.x, which lies outside the map's folder; "
        + "this requires access outside the folder")
    try link("x#y.prj", to: folder.path("maps/in/i.asc"))
    #expect(try Self.failure("x#y.geojson", in: folder, type: "ArcGISFeatureLayer") == nil)
  }

  @Test func networksAndVirtualSources() throws {
    let folder = try Self.folders()
    for url in [
      "http://example.com/a.tif", "HTTPS://x", "/vsicurl/http://x/a.tif", "/vsimem/a",
      "WFS:http://x", "MYSQL:x", "NETCDF:m.asc:x", "vrt://m.asc", "GPKG:x.gpkg:y", "C:/x.tif",
      "<VRTDataset/>", "{\"type\":\"FeatureCollection\"}", "file:http://x",
      "file:/vsicurl/http://x",
      "s3+x.y:a",
    ] {
      for type in ["RasterLayer", "ArcGISFeatureLayer", "ArcGISMapServiceLayer"] {
        let failure = try Self.failure(url, in: folder, type: type)
        // A raster at a URL needs only permission for its host.
        let isRaster = type == "RasterLayer" && url.lowercased().hasPrefix("http")
        #expect(
          failure?.hasSuffix(
            isRaster
              ? "is not an allowed host; this requires an entry of the host"
              : "is not a path in the map's folder; "
                + "a network or virtual source needs access outside the folder")
            == true, "\(url): \(failure ?? "")")
      }
    }
    #expect(
      try Self.failure("PG:dbname=x", in: folder, type: "ArcGISFeatureLayer")
        == "PG:dbname=x is refused: a document names one host; "
        + "this requires access outside the folder")
    #expect(
      try Self.failure("PG:host=h.example dbname=x", in: folder, type: "ArcGISFeatureLayer")?
        .hasPrefix(
          "PG:host=h.example dbname=x is refused: it names the host h.example; this requires ")
        == true)
    #expect(
      try Self.failure("file://host/x", in: folder)
        == "file://host/x names a host; a path is file:///…")
    #expect(
      try Self.failure("file:a%2", in: folder)
        == "file:a%2 has a % without two hexadecimal digits")
    #expect(
      try Self.failure("a\0b", in: folder)?.hasSuffix("is not a path: it has a zero byte") == true)
    #expect(try Self.failure("", in: folder) == "the path is empty")
  }

  /// A file in a bucket needs an entry of its bucket.
  @Test func filesInBuckets() throws {
    let folder = try Self.folders()
    let maps = try #require(NetworkBucket("s3://maps"))
    let host = try #require(NetworkHost("s3.amazonaws.com"))
    let allowed = DocumentAccess.hosts([host], buckets: [maps])
    for (url, bucket) in [
      ("s3://maps/k", "s3://maps"), ("S3://other/k", "s3://other"), ("s3://Maps/k", "s3://Maps"),
      ("gcs://maps/../maps/k", "gs://maps"), ("az://maps/k", "az://maps"),
    ] {
      for access in [DocumentAccess.folder, .hosts([host]), allowed]
      where access != allowed || bucket != "s3://maps" {
        for (type, ending) in [("RasterLayer", ".tif"), ("ArcGISFeatureLayer", ".parquet")] {
          #expect(
            try Self.failure(url + ending, in: folder, type: type, access: access)
              == "\(bucket) is not an allowed bucket; this requires an entry of the host",
            "\(url)")
        }
      }
    }
    for url in ["s3:///k.tif", "s3://maps@other/k.tif", "s3://maps%2Fother/k.tif", "s3://../k.tif"]
    {
      #expect(
        try Self.failure(url, in: folder, access: allowed)
          == "\(url) does not name a file in a bucket")
    }
    for url in [
      "s3://maps/../other/k.tif", "s3://maps/%2e%2e/other/k.tif", "s3://maps/./k.tif",
      "s3://maps/..\\other/k.tif", "s3://maps/", "s3://maps",
    ] {
      #expect(
        try Self.failure(url, in: folder, access: allowed)?.contains(" is refused: a document ")
          == true, "\(url)")
    }
    for url in [
      "/vsis3/maps/k.tif", "/vsis3_streaming/maps/k.tif", "/vsicurl/http://s3.amazonaws.com/maps/k",
      "/VSIS3/maps/k.tif", " s3://maps/k.tif", "file:/vsis3/maps/k.tif", "vrt://s3://maps/k.tif",
    ] {
      for type in ["RasterLayer", "ArcGISFeatureLayer"] {
        #expect(try Self.failure(url, in: folder, type: type, access: allowed) != nil, "\(url)")
      }
    }
    // Only files that Plumb itself reads.
    #expect(
      try Self.failure("s3://maps/k.nc", in: folder, access: allowed)?
        .contains(
          "s3://maps/k.nc is refused: on a network, a document may refer only to TIFF files")
        == true)
    for (url, type) in [
      ("s3://maps/*.tif", "RasterLayer"), ("s3://maps/k.geojson", "ArcGISFeatureLayer"),
      ("s3://maps/*.parquet", "ArcGISFeatureLayer"), ("s3://maps/k.csv", "CSV"),
      ("s3://maps/service.json", "ArcGISMapServiceLayer"), ("s3://maps/k.kml", "KML"),
    ] {
      #expect(
        try Self.failure(url, in: folder, type: type, access: allowed)?
          .contains("\(url) is in a bucket, where a document may name only single files of ")
          == true, "\(url)")
    }
  }

  private static func vrt(_ source: String, relative: Int, more: String = "") -> String {
    """
    <VRTDataset rasterXSize="1" rasterYSize="1"><GeoTransform>0,2,0,2,0,-2</GeoTransform>
    <VRTRasterBand dataType="Byte" band="1">\(more)
    <SimpleSource><SourceFilename relativeToVRT="\(relative)">\(source)</SourceFilename>
    <SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>
    """
  }

  @Test func filesThatReferToOutsideTheFolder() throws {
    let folder = try Self.folders()
    func failure(_ text: String, _ name: String = "v.vrt", vector: Bool = false) throws -> String? {
      try folder.write("maps/" + name, text)
      return try Self.failure(
        name, in: folder, type: vector ? "ArcGISFeatureLayer" : "RasterLayer")
    }
    #expect(try failure(Self.vrt("m.asc", relative: 1)) == nil)
    #expect(try failure(Self.vrt(folder.path("maps/m.asc"), relative: 0)) == nil)
    for (source, relative) in [
      ("../outside/o.asc", 1), (folder.path("outside/o.asc"), 0), ("out.asc", 1),
    ] {
      #expect(
        try failure(Self.vrt(source, relative: relative))?.hasSuffix(
          "outside the map's folder; this requires access outside the folder") == true, "\(source)")
    }
    for source in ["http://x/a.tif", "/vsicurl/http://x/a.tif", "WMS:http://x"] {
      #expect(
        try failure(Self.vrt(source, relative: 0))?.contains("access outside the folder") == true,
        "\(source)"
      )
    }
    #expect(
      try failure(Self.vrt("m.asc", relative: 1, more: "<OpenOptions/>"))?.hasSuffix(
        "v.vrt has a OpenOptions, which needs access outside the folder") == true)
    // A virtual source that refers to another one.
    try folder.write("maps/w.vrt", Self.vrt("../outside/o.asc", relative: 1))
    #expect(
      try failure(Self.vrt("w.vrt", relative: 1))?.hasSuffix(
        "w.vrt leads to ../outside/o.asc, outside the map's folder; "
          + "this requires access outside the folder")
        == true)
    // A virtual source that refers to itself is also handled.
    #expect(try failure(Self.vrt("v.vrt", relative: 1))?.isEmpty != true)
    #expect(
      try failure(
        "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:1/</ServerUrl></Service>"
          + "</GDAL_WMS>", "wms.xml")?.contains(
          "is of the format WMS, which may lead outside the map's folder") == true)

    func layer(_ source: String, _ more: String = "") -> String {
      "<OGRVRTDataSource><OGRVRTLayer name=\"m\">\(more)"
        + "<SrcDataSource relativeToVRT=\"1\">\(source)</SrcDataSource>"
        + "</OGRVRTLayer></OGRVRTDataSource>"
    }
    #expect(try failure(layer("m.geojson"), vector: true) == nil)
    #expect(
      try failure(layer("../outside/o.geojson"), vector: true)?.hasSuffix(
        "leads to ../outside/o.geojson, outside the map's folder; "
          + "this requires access outside the folder")
        == true)
    #expect(
      try failure(layer("WFS:http://x"), vector: true)?
        .contains("access outside the folder") == true)
    #expect(
      try failure(layer("m.geojson", "<SrcSQL>SELECT 1</SrcSQL>"), vector: true)?.contains(
        "has a SrcSQL, which needs access outside the folder") == true)
  }

  /// Paths in a service are relative to the service's folder, and are limited to the map's folder.
  @Test func pathsOfServices() throws {
    let folder = try Self.folders()
    try folder.write(
      "maps/in/s.json",
      #"{"layers":[{"id":1,"source":"i.asc"},{"id":2,"source":"../m.asc"},"#
        + #"{"id":3,"source":"../../outside/o.asc"}]}"#)
    let path = try folder.write(
      "maps/map.json",
      MapDocumentTests.map(
        ofLayers: #"{"id":"a","layerType":"ArcGISMapServiceLayer","url":"in/s.json"}"#))
    for (access, expected) in [
      (
        DocumentAccess.folder,
        "maps/in/s.json: layers[2].source: ../../outside/o.asc lies outside the map's folder; "
          + "this requires access outside the folder"
      ), (.anywhere, nil),
    ] {
      let layer = try Map.open(path: path, access: access).layers[0]
      try layer.load()
      #expect(
        layer.sublayers.map { MapDocumentTests.failure($0, folder) } == [nil, nil, expected])
    }
  }
}
