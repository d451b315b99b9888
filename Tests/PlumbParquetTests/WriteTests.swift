import Testing

@testable import PlumbParquet

@Suite struct WriteTests {
  @Test func runs() { #expect(Bool(true)) }
}
