import PlumbCore
import PlumbGeometry
import Testing

@testable import PlumbLayers

/// A feature whose shape cannot be transformed to the points' CRS.
@Suite struct ShapeProjectionTests {
  @Test func aShapeWithoutACounterpartIsTheLayersError() throws {
    let plane = try SpatialReference("+proj=gnom +lat_0=0 +lon_0=0 +R=6371000 +type=crs")
    // The point is on the opposite half of the Earth, which the gnomonic projection does not cover.
    let south = Polygon(
      VertexList([[-120, -60], [-120, 0], [120, 0], [120, -60]]), spatialReference: .wgs84)
    let north = Polygon(
      VertexList([[-20, 0], [-20, 60], [20, 60], [20, 0]]), spatialReference: .wgs84)
    let table = MemoryFeatureTable(
      fields: [Field(name: "n", kind: .text)],
      features: [
        Feature(attributes: [.text("south")], geometry: .polygon(south)),
        Feature(attributes: [.text("north")], geometry: .polygon(north)),
      ])
    let map = Map(
      layers: [FeatureLayer(LayerProperties(id: "a"), table: table)], spatialReference: plane)
    let identifier = try MapIdentifier(map)
    let bad = try #require(identifier.identify(x: 1000, y: -2_000_000).first)
    #expect(bad.error?.code == .transformFailed)
    #expect(bad.error?.message.contains(plane.label) == true)
    #expect(bad.geoElements.count == 1)
    #expect(bad.geoElements.first?.shape == nil)
    let good = try #require(identifier.identify(x: 1000, y: 2_000_000).first)
    #expect(good.error == nil)
    #expect(good.geoElements.first?.shape?.isEmpty == false)
  }

  /// Popups without shapes do not transform them, so that a shape without a counterpart is not an
  /// error. An expression that cannot be compiled does not need the shape.
  @Test(arguments: [("1 + 1", false), ("$feature.n", true), ("$feature.n +", false)])
  func popupsTransformShapesOnlyForExpressions(text: String, isError: Bool) throws {
    let plane = try SpatialReference("+proj=gnom +lat_0=0 +lon_0=0 +R=6371000 +type=crs")
    let south = Polygon(
      VertexList([[-120, -60], [-120, 0], [120, 0], [120, -60]]), spatialReference: .wgs84)
    let popup = PopupDefinition(
      title: "{n} {expression/e}",
      expressions: [.init(name: "e", title: "e", expression: text, returnType: nil)])
    let map = Map(
      layers: [featureLayer("a", [.polygon(south)], popup: popup)], spatialReference: plane)
    let options = IdentifyOptions(returnPopupsOnly: true)
    let result = try #require(
      MapIdentifier(map, options: options).identify(x: 1000, y: -2_000_000).first)
    #expect(result.popups.count == 1)
    #expect((result.error != nil) == isError)
  }
}

extension GeoElement {
  fileprivate var shape: Geometry? {
    if case .feature(let feature) = self { feature.geometry } else { nil }
  }
}
