import Foundation
import Plumb
import PlumbService
import PlumbTestSupport
import Testing

/// VRT sources that are inline descriptions, through the service without a sandbox.
@Suite struct InlineSourceTests {
  @Test func `a description after a blank gives no bytes of other files`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("maps"), withIntermediateDirectories: true)
    let canary = "root:TOPSECRET:0:0\n"
    try folder.write("passwd.txt", canary)
    try folder.write(
      "canary.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"secret":"#
        + #""CANARY"},"geometry":{"type":"Point","coordinates":[0.5,0.5]}}]}"#)
    func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
    let raw =
      "<VRTDataset rasterXSize=\"18\" rasterYSize=\"1\"><VRTRasterBand dataType=\"Byte\" band=\"1\" "
      + "subClass=\"VRTRawRasterBand\"><SourceFilename relativeToVRT=\"0\">"
      + folder.path("passwd.txt") + "</SourceFilename><PixelOffset>1</PixelOffset>"
      + "<LineOffset>18</LineOffset></VRTRasterBand></VRTDataset>"
    try folder.write(
      "maps/raw.vrt",
      "<VRTDataset rasterXSize=\"18\" rasterYSize=\"1\"><SRS>EPSG:4326</SRS>"
        + "<GeoTransform>0,1,0,1,0,-1</GeoTransform><VRTRasterBand dataType=\"Byte\" band=\"1\">"
        + "<SimpleSource><SourceFilename relativeToVRT=\"0\">&#32;\(escaped(raw))</SourceFilename>"
        + "<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>")
    let inner =
      "<OGRVRTDataSource><OGRVRTLayer name=\"canary\"><SrcDataSource>"
      + folder.path("canary.geojson") + "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    try folder.write(
      "maps/w.vrt",
      "<OGRVRTDataSource><OGRVRTUnionLayer name=\"canary\"><OGRVRTLayer name=\"canary\">"
        + "<SrcDataSource>&#32;\(escaped(inner))</SrcDataSource></OGRVRTLayer></OGRVRTUnionLayer>"
        + "</OGRVRTDataSource>")
    try folder.write(
      "maps/map.json",
      #"{"operationalLayers":[{"id":"r","title":"r","layerType":"RasterLayer","url":"raw.vrt"},"#
        + #"{"id":"w","title":"w","layerType":"ArcGISFeatureLayer","url":"w.vrt"}],"#
        + #""spatialReference":{"wkid":4326}}"#)
    let service = try TestService(maps: [folder.path("maps/map.json")])
    for x in 0..<18 {
      let body = #"{"map":"map","at":[[\#(Double(x) + 0.5),0.5]]}"#
      let text = String(decoding: try service.api("identify", body).bytes(), as: UTF8.self)
      #expect(!text.contains("CANARY"))
      #expect(!text.contains("\"\(canary.utf8.map { Int($0) }[x])\""), "\(text)")
      if x == 0 { #expect(text.contains("leads to"), "\(text)") }
    }
  }
}
