import Testing

@testable import PlumbGDAL

@Suite struct RemoteFolderTests {
  @Test func onlyTheNewestFoldersAreKnown() {
    var known = NewestValues<Int>(limit: 3)
    for (number, name) in ["a", "b", "a", "c"].enumerated() { known.insert(number, for: name) }
    #expect(known.values == ["a": 2, "b": 1, "c": 3])
    known.insert(4, for: "d")
    #expect(known.values == ["b": 1, "c": 3, "d": 4])
    for number in 0..<1000 { known.insert(number, for: "\(number)") }
    #expect(known.values == ["997": 997, "998": 998, "999": 999])
  }
}
