import PlumbTestSupport
import Testing

/// VRTs with resampled sources: GDAL computes different values for a cell if the window is a single
/// cell than if it is larger. Plumb always uses the value from the whole block.
@Suite struct ResampledSourceTests {
  @Test(arguments: [
    ("SimpleSource", "resampling=\"average\"", ["2.3333333", "12.0"]),
    ("AveragedSource", "", ["2.3333333", "12.0"]),
    ("SimpleSource", "resampling=\"bilinear\"", ["2.0", "9.0"]),
  ])
  func `a cell always has the same value`(name: String, attribute: String, values: [String]) throws
  {
    let fixture = try Fixture()
    try fixture.folder.write(
      "a.asc", "ncols 5\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 4 8 16\n")
    try fixture.folder.write(
      "v.vrt",
      """
      <VRTDataset rasterXSize="2" rasterYSize="1"><GeoTransform>0,2.5,0,1,0,-1</GeoTransform>
      <VRTRasterBand dataType="Float32" band="1"><\(name) \(attribute)>
      <SourceFilename relativeToVRT="1">a.asc</SourceFilename><SourceBand>1</SourceBand>
      <SrcRect xOff="0" yOff="0" xSize="5" ySize="1"/><DstRect xOff="0" yOff="0" xSize="2" ySize="1"/>
      </\(name)></VRTRasterBand></VRTDataset>
      """)
    let rows = ["1,0.5", "4,0.5"]
    let both = try plumb(
      ["identify", "v.vrt", "--points", "-"], input: "x,y\n" + rows.joined(separator: "\n"),
      folder: fixture.folder.path)
    #expect(both.lines.dropFirst() == ["1,0.5,\(values[0])", "4,0.5,\(values[1])"], "\(both)")
    for (row, value) in zip(rows, values) {
      let one = try plumb(["identify", "v.vrt", "--at", row], folder: fixture.folder.path)
      #expect(one.output.contains("Band_0: \(value)\n"), "\(one)")
    }
  }
}
