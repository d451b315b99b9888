import PlumbCore
import PlumbGeometry
import Testing

@Suite struct SpatialReferenceTests {
  @Test(arguments: [
    ("EPSG:4326", "EPSG:4326"), ("4326", "EPSG:4326"), ("102100", "EPSG:3857"),
    ("ESRI:102100", "EPSG:3857"), (" epsg:32734 ", "EPSG:32734"),
  ])
  func codes(text: String, label: String) throws {
    #expect(try SpatialReference(text).label == label)
  }

  @Test(arguments: [
    "", "EPSG:1", "nonsense", "EPSG:4978", "EPSG:5773", "+proj=pipeline +step +proj=utm +zone=34",
    "99999999",
  ])
  func refused(text: String) {
    #expect(throws: GeometryError.self) { try SpatialReference(text) }
  }

  @Test func kinds() throws {
    #expect(try SpatialReference("EPSG:4326").isGeographic)
    #expect(try !SpatialReference("EPSG:32734").isGeographic)
    let local = "LOCAL_CS[\"site\",UNIT[\"metre\",1]]"
    #expect(try !SpatialReference(local).isGeoreferenced)
  }

  @Test func equivalence() throws {
    let wgs84 = try SpatialReference("EPSG:4326")
    #expect(wgs84.isEquivalent(to: try SpatialReference("OGC:CRS84")))
    #expect(!wgs84.isEquivalent(to: try SpatialReference("EPSG:4269")))
  }

  @Test func onlyTheHorizontalPartOfACompoundSystemCounts() throws {
    let compound = try SpatialReference("EPSG:4326+5773")
    #expect(compound.label == "EPSG:4326")
    #expect(compound.isGeographic)
    #expect(compound.isEquivalent(to: .wgs84))
  }
}
