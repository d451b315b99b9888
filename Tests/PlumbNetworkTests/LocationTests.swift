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
}
