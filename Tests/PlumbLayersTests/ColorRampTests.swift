import PlumbCore
import PlumbLayers
import Testing

@Suite struct ColorRampTests {
  private let ramp = ColorRamp([
    Color(0, 0, 0, alpha: 0), Color(100, 50, 20, alpha: 200), Color(200, 0, 255, alpha: 255),
  ])

  @Test func stops() {
    #expect(ramp.color(0) == ramp.stops[0])
    #expect(ramp.color(0.5) == ramp.stops[1])
    #expect(ramp.color(1) == ramp.stops[2])
    for ramp in [ColorRamp.gray, .elevation] {
      for (index, stop) in ramp.stops.enumerated() {
        #expect(ramp.color(Double(index) / Double(ramp.stops.count - 1)) == stop)
      }
    }
  }

  @Test func valuesBetweenStops() {
    #expect(ramp.color(0.25) == Color(50, 25, 10, alpha: 100))
    #expect(ramp.color(0.75) == Color(150, 25, 138, alpha: 228))
  }

  @Test func valuesOutside() {
    for share in [-0.1, -1e300, -.infinity] { #expect(ramp.color(share) == ramp.stops[0]) }
    for share in [1.1, 1e300, .infinity] { #expect(ramp.color(share) == ramp.stops[2]) }
  }

  @Test func oneStopOrNone() {
    for share in [0, 0.5, 1] {
      #expect(ColorRamp([Color(1, 2, 3)]).color(share) == Color(1, 2, 3))
      #expect(ColorRamp([]).color(share) == .gray)
    }
  }
}
