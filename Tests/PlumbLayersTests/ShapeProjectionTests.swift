import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// A feature that was found and whose shape has no counterpart in the points' reference.
@Suite struct ShapeProjectionTests {
  @Test func aShapeWithoutACounterpartIsTheLayersError() throws {
    let mercator = try SpatialReference("EPSG:3857")
    // Down to the pole, which web mercator does not have.
    let south = Polygon(
      VertexList([[-90, -90], [-90, 0], [90, 0], [90, -90]]), spatialReference: .wgs84)
    let north = Polygon(
      VertexList([[-90, 0], [-90, 60], [90, 60], [90, 0]]), spatialReference: .wgs84)
    let table = MemoryFeatureTable(
      fields: [Field(name: "n", kind: .text)],
      features: [
        Feature(attributes: [.text("south")], geometry: .polygon(south)),
        Feature(attributes: [.text("north")], geometry: .polygon(north)),
      ])
    let map = Map(
      layers: [FeatureLayer(LayerProperties(id: "a"), table: table)], spatialReference: mercator)
    let identifier = try MapIdentifier(map)
    let bad = try #require(identifier.identify(x: 1000, y: -5_000_000).first)
    #expect(bad.error?.code == "transform_failed")
    #expect(bad.error?.message.contains("EPSG:3857") == true)
    #expect(bad.geoElements.count == 1)
    #expect(bad.geoElements.first?.shape == nil)
    let good = try #require(identifier.identify(x: 1000, y: 5_000_000).first)
    #expect(good.error == nil)
    #expect(good.geoElements.first?.shape?.isEmpty == false)
  }
}

extension GeoElement {
  fileprivate var shape: Geometry? {
    if case .feature(let feature) = self { feature.geometry } else { nil }
  }
}
