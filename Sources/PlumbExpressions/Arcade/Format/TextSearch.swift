/// Finds a text in others by its bytes, in time linear in both lengths whatever they hold (Knuth,
/// Morris and Pratt). Letters are distinguished by their code points: an accent written apart
/// differs from one written together.
struct TextSearch {
  private let pattern: [UInt8]
  /// How long the longest proper prefix is that ends each prefix of the pattern.
  private let borders: [Int]

  /// - Parameter text: not empty.
  init(_ text: String) {
    pattern = Array(text.utf8)
    var borders = [Int](repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }

  var count: Int { pattern.count }

  /// Where the pattern first begins in the bytes of a text, from a byte on; nil where it does not.
  func first(in bytes: [UInt8], from start: Int = 0) -> Int? {
    guard !pattern.isEmpty else { return nil }
    var matched = 0
    var index = start
    while index < bytes.count {
      while matched > 0, bytes[index] != pattern[matched] { matched = borders[matched - 1] }
      if bytes[index] == pattern[matched] { matched += 1 }
      index += 1
      if matched == pattern.count { return index - matched }
    }
    return nil
  }

  /// Where the pattern begins, occurrences not overlapping, at most so many.
  func all(in bytes: [UInt8], limit: Int = .max) -> [Int] {
    var found: [Int] = []
    var next = 0
    while found.count < limit, let position = first(in: bytes, from: next) {
      found.append(position)
      next = position + pattern.count
    }
    return found
  }
}
