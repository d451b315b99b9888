/// Suggests names or ids that are similar to a mistaken one.
package enum NameSuggestions {
  /// Returns the end of an error message: the names similar to `input` or, if there are none, the
  /// first available names.
  package static func advice(_ input: String, among names: [String]) -> String {
    let hint = hint(input, among: names)
    return hint.isEmpty ? list(names.lazy.map(\.printable)) : hint
  }

  /// Returns the end of an error message with the first available names.
  ///
  /// - Parameter names: the names in the form in which they are displayed.
  package static func list(_ names: some Collection<String>) -> String {
    if names.isEmpty { return "; there are none" }
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    return "; available: \(names.prefix(10).joined(separator: ", "))\(more)"
  }

  /// Returns the end of an error message if there are too many names to list: the names similar to
  /// `input`, or an empty string if no name is similar.
  package static func hint(_ input: String, among names: some Sequence<String>) -> String {
    let near = nearest(input, among: names)
    return near.isEmpty ? "" : "; did you mean \(near.map(\.printable).joined(separator: " or "))?"
  }

  /// Up to three names that differ in few letters, the nearest first; case is ignored.
  package static func nearest(_ input: String, among names: some Sequence<String>) -> [String] {
    let target = Array(input.lowercased().utf8.prefix(64))
    let limit = max(1, target.count / 3)
    var found: [(distance: Int, name: String)] = []
    for name in names {
      // The lengths of most names differ so much that the distance is not needed.
      guard abs(name.utf8.count - target.count) <= limit + 4 else { continue }
      let other = Array(name.lowercased().utf8.prefix(64))
      guard abs(other.count - target.count) <= limit else { continue }
      let distance = distance(target, other, limit: limit)
      if distance <= limit { found.append((distance, name)) }
    }
    found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
    var result: [String] = []
    for (_, name) in found where result.last != name && result.count < 3 { result.append(name) }
    return result
  }

  /// The edit distance: the number of insertions, deletions, replacements and swaps of adjacent bytes that
  /// turn `a` into `b`. If it exceeds `limit`, returns any number above `limit`.
  private static func distance(_ a: [UInt8], _ b: [UInt8], limit: Int) -> Int {
    var before: [Int] = []
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var next = [i + 1]
      for j in b.indices {
        var minimum = min(row[j] + (letter == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1)
        if i > 0, j > 0, letter == b[j - 1], a[i - 1] == b[j] {
          minimum = min(minimum, before[j - 1] + 1)
        }
        next.append(minimum)
      }
      (before, row) = (row, next)
      if min(row.min() ?? 0, before.min() ?? 0) > limit { return limit + 1 }
    }
    return row[b.count]
  }
}
