import Foundation
import PlumbTestSupport
import Testing

/// `identify --at` where a cell cannot be read: what was read is printed, and the status says so.
struct ReadErrorTests {
  @Test func `a read error ends with status 1 behind the values`() throws {
    let fixture = try Fixture()
    try fixture.brokenTile("r.tif")
    try fixture.folder.write(
      "m.json",
      #"{"operationalLayers":[{"id":"r","layerType":"RasterLayer","url":"r.tif"}]}"#)
    for target in ["r.tif", "m.json"] {
      for format in target == "r.tif" ? ["text", "json"] : ["tree", "json"] {
        let arguments = ["identify", fixture.path(target), "--format", format, "--at", "1.5,-0.5"]
        let good = try plumb(arguments)
        #expect(good.status == 0 && good.output.contains("7919"), "\(good)")
        let bad = try plumb(arguments + ["--at", "63.5,-63.5"])
        #expect(bad.status == 1 && bad.output.contains("7919"), "\(bad)")
        #expect(bad.output.contains("read_error"), "\(bad)")
        #expect(bad.errors.contains("cannot be read"), "\(bad)")
      }
    }
  }
}
