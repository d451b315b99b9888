import PlumbGeotriggers
import Testing

@Suite struct EntityNamesTests {
  @Test("Entities are numbered in the order of their first appearance")
  func order() {
    var names = EntityNames()
    #expect(["b", "a", "b", "", "a"].map { names.number(of: $0) } == [0, 1, 0, 2, 1])
    #expect(names.names == ["b", "a", ""])
    #expect(names[1] == "a")
  }

  @Test("Known entities have the number of their name, and others have none")
  func known() {
    var names = EntityNames()
    #expect(names.known("") == nil)
    for count in 0..<300 {
      #expect(names.known("n\(count)") == nil)
      let number = names.number(of: "n\(count)")
      #expect(names.known("n\(count)") == number)
    }
    for number in 0..<300 { #expect(names.known("n\(number)") == Int32(number)) }
    names.release([7])
    #expect(names.known("n7") == nil && names.known("n8") == 8)
  }

  @Test("Released numbers go to new names; the others keep theirs, and memory does not grow")
  func release() {
    var names = EntityNames()
    for number in 0..<100 { #expect(names.number(of: "n\(number)") == Int32(number)) }
    names.release([3, 50, 50, 99, 1000, -1])
    #expect(names.names[50] == "" && names[51] == "n51")
    let numbers = ["x", "y", "n3"].map { names.number(of: $0) }
    #expect(Set(numbers) == [3, 50, 99])
    #expect(names[names.number(of: "n3")] == "n3")
    for number in 0..<100 where ![3, 50, 99].contains(number) {
      #expect(names.number(of: "n\(number)") == Int32(number))
    }
    for round in 0..<2000 { names.release([names.number(of: "round \(round)")]) }
    #expect(names.names.count == 101)
  }
}
