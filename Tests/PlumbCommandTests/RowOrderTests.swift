import Foundation
import PlumbTestSupport
import Testing

/// JSON rows are created on several threads and are written in order, as with one thread.
struct RowOrderTests {
  private func points(_ count: Int) -> String {
    var random = SeededGenerator(seed: 9)
    var text = "name,x,y,n,r,w\n"
    let names = ["a", "\"b, \"\"c\"\"\"", "", "é", "tab\there", "back\\slash"]
    for row in 0..<count {
      let x = (Double.random(in: -1...5, using: &random) * 1e6).rounded() / 1e6
      let y = row % 91 == 7 ? "nowhere" : "\(Double.random(in: -4...1, using: &random))"
      let real = row % 4 == 0 ? "" : "\(Double(row) / 8)"
      text += "\(names[row % 6]),\(x),\(y),\(row),\(real),0\(row)\n"
    }
    return text
  }

  @Test(arguments: ["jsonl", "geojson", "geojsonseq"])
  func `any number of threads gives the same answer`(format: String) throws {
    let fixture = try Fixture()
    try fixture.grid()
    let count = 30_000
    try fixture.folder.write("points.csv", points(count))
    func run(_ input: String, _ threads: Int) throws -> Data {
      let out = "out\(threads)"
      let run = try shell(
        "\"$PLUMB\" identify grid.tif -q --points \(input) --of \(format) --threads \(threads) "
          + "-o \(out) --overwrite --status", folder: fixture.folder.path)
      #expect(run.status == 0, "\(run.errors)")
      return try fixture.bytes(out)
    }
    let one = try run("points.csv", 1)
    #expect(try run("points.csv", 5) == one)
    let lines = one.split(separator: 10, omittingEmptySubsequences: false)
    #expect(lines.count == count + (format == "geojson" ? 3 : 1))
    // Each row is at its position.
    for (index, line) in lines.filter({ $0.count > 90 }).enumerated() where index % 1777 == 0 {
      let text = String(decoding: line, as: UTF8.self)
      #expect(text.contains("\"n\":\(index),"), "\(text)")
    }
    guard format != "jsonl" else { return }
    // The bytes of features are copied unchanged.
    try one.write(to: URL(fileURLWithPath: fixture.path("in." + format)))
    func again(_ threads: Int) throws -> Data {
      let run = try shell(
        "\"$PLUMB\" identify g=grid.tif -q --points in.\(format) --of \(format) "
          + "--threads \(threads) -o again\(threads)", folder: fixture.folder.path)
      #expect(run.status == 0, "\(run.errors)")
      return try fixture.bytes("again\(threads)")
    }
    #expect(try again(1) == again(4))
  }

  /// The first faulty row is reported, and the rows before it are written.
  @Test func `a fault in the middle`() throws {
    let fixture = try Fixture()
    try fixture.grid()
    var text = "x,y,n\n"
    for row in 0..<40_000 {
      text += "1.5,-1.5," + (row == 25_000 || row == 39_000 ? "x" : "\(row)") + "\n"
    }
    try fixture.folder.write("points.csv", text)
    for threads in [1, 4] {
      let run = try shell(
        "\"$PLUMB\" identify grid.tif -q --points points.csv --of jsonl --types n=int "
          + "--threads \(threads)", folder: fixture.folder.path)
      #expect(run.status != 0)
      #expect(run.errors.contains("row 25001"), "\(run.errors)")
      #expect(run.lines.count <= 25_000 && run.lines.count >= 24_000 - 1024 * 8 * 4)
    }
  }
}
