import PlumbCore

/// Finds what a mistaken name may have meant.
enum NearNames {
  /// The second half of a message: near names, or nothing.
  static func advice(_ wanted: String, among names: some Sequence<String>) -> String {
    let near = nearest(wanted, among: names)
    return near.isEmpty ? "" : "; is it \(near.map(\.printable).joined(separator: " or "))?"
  }

  /// Up to three names that differ in few letters, the nearest first; case does not count.
  static func nearest(_ wanted: String, among names: some Sequence<String>) -> [String] {
    let target = Array(wanted.lowercased().utf8.prefix(64))
    let limit = max(1, (target.count + 1) / 3)
    var found: [(distance: Int, name: String)] = []
    for name in names {
      let other = Array(name.lowercased().utf8.prefix(64))
      guard abs(other.count - target.count) <= limit else { continue }
      let distance = distance(target, other)
      if distance <= limit { found.append((distance, name)) }
    }
    found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return found.prefix(3).map(\.name)
  }

  /// How many bytes to insert, drop or replace.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = i
      row[0] = i + 1
      for j in b.indices {
        let replaced = diagonal + (letter == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[b.count]
  }
}
