import Foundation
import PlumbTestSupport
import Testing

/// Rule: a file that crashes GDAL's driver or makes it hang is an error of its layer; the server
/// continues.
@Suite struct HelperServerTests {
  @Test func `layers that crash or hang do not affect the others and the server`() throws {
    let folder = try TemporaryFolder()
    try folder.write("track.kml", HostileFile.track)
    try folder.write("blocks.dxf", HostileFile.nestedBlocks(depth: 9))
    try folder.write(
      "p.geojson",
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":"one"}}"#
    )
    // Drawings do not contain a CRS.
    try folder.write(
      "blocks.vrt",
      """
      <OGRVRTDataSource><OGRVRTLayer name="entities"><LayerSRS>EPSG:4326</LayerSRS>
      <SrcDataSource relativeToVRT="1">blocks.dxf</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>
      """)
    let layers = ["track.kml", "blocks.vrt", "p.geojson"].map {
      #"{"id":"\#($0)","title":"\#($0)","layerType":"ArcGISFeatureLayer","url":"\#($0)"}"#
    }
    try folder.write(
      "m.json", #"{"operationalLayers":[\#(layers.joined(separator: ","))],"version":"2.31"}"#)
    let server = try RunningServer(
      [folder.path("m.json"), "--timeout", "20"], settings: ["PLUMB_READER_SECONDS": "0.5"])
    for _ in 0..<2 {
      let reply = try server.request(
        "POST", "/api/identify", ["Content-Type": "application/json"],
        body: Array(#"{"map":"m","at":[[1,2]]}"#.utf8))
      #expect(reply.status == 200 && reply.text.contains("\"one\""), "\(reply.text)")
      #expect(reply.text.contains("LIBKML crashed"), "\(reply.text)")
      #expect(reply.text.contains("PLUMB_READER_SECONDS"), "\(reply.text)")
    }
    server.signal(SIGTERM)
    #expect(server.status() == 0)
  }
}
