import PlumbGeotriggers
import Testing

@Suite struct EntityNamesTests {
  @Test("Entities are numbered in the order in which they first come")
  func order() {
    var names = EntityNames()
    #expect(["b", "a", "b", "", "a"].map { names.number(of: $0) } == [0, 1, 0, 2, 1])
    #expect(names.names == ["b", "a", ""])
    #expect(names[1] == "a")
  }
}
