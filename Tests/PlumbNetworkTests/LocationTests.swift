import PlumbNetwork
import Testing

/// Locations: starts and barriers at terminals and along edges.
@Suite struct LocationTests {
  @Test func barriersAlongAnEdgeStopTheSecondPass() throws {
    let network = try Sketch("C--a----s--b").network()
    var parameters = UtilityTraceParameters.test(.subnetwork, [try network.location("a")])
    parameters.barriers = [try network.location("a-s", at: 0.75)]
    let result = try network.trace(parameters)
    #expect(network.texts(result.elements) == ["C", "C-a", "a", "a-s[0.0,0.75]"])
  }

  /// Rule: elements to select are listed by source and by the layer that shows them, devices once.
  @Test func selectionsAreBySourceAndLayer() throws {
    var sketch = Sketch("C--a--w--b")
    for source in sketch.definition.domainNetworks[0].sources.indices
    where sketch.definition.domainNetworks[0].sources[source].id == TestNetwork.device {
      sketch.definition.domainNetworks[0].sources[source].layerID = 100
    }
    let network = try sketch.network()
    let result = try network.trace(.test(.connected, [try network.location("a")]))
    // The valve is in the result with both its terminals.
    #expect(result.elements.count == 8)
    let selections = result.selections(in: network)
    #expect(
      selections.map(\.sourceID) == [TestNetwork.device, TestNetwork.junction, TestNetwork.pipe])
    #expect(selections.map(\.layerID) == [100, nil, nil])
    #expect(
      selections.map { $0.elements.map { network.globalID(of: $0) } } == [
        ["C", "w"], ["a", "b"], ["C-a", "a-w", "w-b"],
      ])
  }
}
