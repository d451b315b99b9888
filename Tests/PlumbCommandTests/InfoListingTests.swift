import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// What `info` lists beside one raster's bands.
struct InfoListingTests {
  private let fixture = try! Fixture()

  @Test func `a file of features is listed, with what asks it`() throws {
    try fixture.folder.write(
      "p.geojson",
      #"{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":1},"#
        + #""geometry":{"type":"Point","coordinates":[1,2]}}]}"#)
    try fixture.folder.write("p.csv", "x,y,name\n1,2,a\n")
    let run = try plumb(["info", fixture.path("p.geojson")])
    #expect(run.status == 0, "\(run)")
    #expect(run.lines.contains { $0.contains("geometry Point; features 1") }, "\(run)")
    #expect(run.output.contains("identify") && run.output.contains("buffer"))
    let json = try plumb(["info", fixture.path("p.csv"), "--format", "json"])
    let layers = try #require(try json.objects.first?["layers"] as? [[String: Any]])
    #expect(layers.first?["fields"] as? String == "x, y, name", "\(json)")
  }

  @Test func `rational polynomials and further images are listed`() throws {
    try fixture.raster("a.tif", .uint8, width: 2, bands: [[1, 2, 3, 4] as [UInt8]])
    let polynomials = (["LINE_OFF", "SAMP_OFF", "LAT_OFF", "LONG_OFF", "HEIGHT_OFF"])
      .map { "<MDI key=\"\($0)\">1</MDI>" }.joined()
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="2" rasterYSize="2"><Metadata domain="RPC">\(polynomials)</Metadata>
      <Metadata domain="SUBDATASETS"><MDI key="SUBDATASET_1_NAME">GTIFF_DIR:1:a.tif</MDI></Metadata>
      <VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename relativeToVRT="1">a.tif\
      </SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
      """)
    let run = try plumb(["info", fixture.path("v.vrt")])
    #expect(run.lines.contains("mapping: rational polynomials"), "\(run)")
    #expect(run.lines.contains("subdatasets: GTIFF_DIR:1:a.tif"), "\(run)")
    #expect(!run.output.contains("groundControlPoints"))
  }
}
