import Foundation
import PlumbTestSupport
import Testing

/// The effect on the command of files that crash GDAL's drivers or keep them busy forever.
@Suite struct HelperCommandTests {
  private let fixture: Fixture

  init() throws {
    fixture = try Fixture()
    try fixture.folder.write("track.kml", HostileFile.track)
    try fixture.folder.write("blocks.dxf", HostileFile.nestedBlocks(depth: 9))
    try fixture.folder.write("array.dxf", HostileFile.array(side: 32_000))
    try fixture.folder.write("arcs.topojson", HostileFile.repeatedArcs(100_000))
    try fixture.folder.write(
      "p.geojson",
      #"{"type":"Feature","properties":{"n":1},"geometry":{"type":"Point","coordinates":[18,-34]}}"#
    )
  }

  private func run(_ words: String, _ settings: String = "") throws -> ProgramRun {
    try boundedShell("\(settings) \"$PLUMB\" \(words)", folder: fixture.folder.path)
  }

  @Test(arguments: [
    "info track.kml", "buffer track.kml --distance 1 --geodesic", "draw track.kml -o t.png",
    "monitor --feed p.geojson --fences track.kml",
  ])
  func `a driver that crashes`(words: String) throws {
    let run = try run(words)
    run.expectRefusal("track.kml", "GDAL's driver LIBKML crashed")
    #expect(run.output.isEmpty)
  }

  @Test(arguments: [
    "info blocks.dxf", "info arcs.topojson",
    "buffer array.dxf --crs EPSG:32634 --distance 1 -o a.csv",
  ])
  func `a driver that does not end`(words: String) throws {
    let run = try run(words, "PLUMB_READER_SECONDS=0.5 PLUMB_READER_MEMORY=64")
    run.expectRefusal("PLUMB_READER_")
  }

  @Test func `a layer that crashes leaves a map's other layers`() throws {
    try fixture.map(
      [
        #"{"id":"k","title":"k","layerType":"ArcGISFeatureLayer","url":"track.kml"}"#,
        #"{"id":"p","title":"p","layerType":"ArcGISFeatureLayer","url":"p.geojson"}"#,
      ], named: "map.json")
    let run = try run("identify map.json --at 18,-34 --of json")
    #expect(run.output.contains("\"n\":1"), "\(run)")
    #expect((run.output + run.errors).contains("LIBKML crashed"), "\(run)")
    #expect(run.status == 0 || run.status == 1)
  }

  @Test func `a map answers the same without helpers`() throws {
    try fixture.grid("grid.tif")
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="4" rasterYSize="3"><SRS>EPSG:4326</SRS>
      <GeoTransform>0,1,0,3,0,-1</GeoTransform><VRTRasterBand dataType="Int16" band="1"><SimpleSource>
      <SourceFilename relativeToVRT="1">grid.tif</SourceFilename><SourceBand>1</SourceBand>
      </SimpleSource></VRTRasterBand></VRTDataset>
      """)
    try fixture.map(
      [
        #"{"id":"v","title":"v","layerType":"RasterLayer","url":"v.vrt"}"#,
        #"{"id":"p","title":"p","layerType":"ArcGISFeatureLayer","url":"p.geojson"}"#,
      ], named: "map.json")
    let words = "identify map.json --at 2.5,1.5 --of json"
    let (usual, alone) = (try run(words), try run(words, "PLUMB_ISOLATION=none"))
    #expect(usual.status == 0 && usual.errors.isEmpty, "\(usual)")
    #expect(alone.output == usual.output && alone.errors.isEmpty, "\(alone)")
  }

  @Test func `the program of the helper can be named and must be valid`() throws {
    try fixture.folder.write(
      "a.gpx", #"<gpx version="1.1"><wpt lat="-33" lon="18"><name>A</name></wpt></gpx>"#)
    let reader = TestPaths.program("plumb-reader")
    let named = try run("buffer a.gpx --layer waypoints --distance 1", "PLUMB_READER=\(reader)")
    let usual = try run("buffer a.gpx --layer waypoints --distance 1")
    #expect(named.status == 0 && named.output == usual.output)
    try run("info a.gpx", "PLUMB_READER=/nowhere/plumb-reader")
      .expectRefusal("PLUMB_READER is set to /nowhere/plumb-reader")
    // If the program is started directly, it explains its purpose.
    let alone = try ProgramRun(reader, [])
    #expect(alone.status == 2 && alone.errors.hasPrefix("plumb-reader: "))
  }
}
