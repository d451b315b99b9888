import PlumbCore

/// What a mistaken name may have meant.
enum NearNames {
  /// The start of a message's second half: near names, or the first ones there are.
  static func advice(_ wanted: String, _ names: [String]) -> String {
    guard !names.isEmpty else { return "; there are none" }
    let target = Array(wanted.lowercased().utf8.prefix(64))
    let scored = names.map { (distance(target, Array($0.lowercased().utf8.prefix(64))), $0) }
    let near = scored.filter { $0.0 <= max(1, target.count / 3) }
      .sorted { $0.0 != $1.0 ? $0.0 < $1.0 : $0.1 < $1.1 }.prefix(3).map(\.1.printable)
    if !near.isEmpty { return "; is it \(near.joined(separator: " or "))?" }
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    return "; there are \(names.prefix(10).map(\.printable).joined(separator: ", "))\(more)"
  }

  /// How many bytes to insert, drop or replace.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, x) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
