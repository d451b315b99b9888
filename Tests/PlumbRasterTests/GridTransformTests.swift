import PlumbRaster
import Testing

@Suite struct GridTransformTests {
  @Test func refusesWhatCannotBeInverted() {
    #expect(GridTransform(coefficients: [0, 0, 0, 0, 0, 1]) == nil)
    #expect(GridTransform(coefficients: [0, 1, 1, 0, 1, 1]) == nil)
    #expect(GridTransform(coefficients: [.nan, 1, 0, 0, 0, 1]) == nil)
    #expect(GridTransform(coefficients: [0, 1, 0, 0, 0]) == nil)
  }
}
