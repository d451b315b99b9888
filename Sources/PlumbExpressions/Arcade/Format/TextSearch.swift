/// A search for text by bytes, in linear time for any text (Knuth, Morris and Pratt). Characters
/// are compared by code point, so a letter with a combining accent differs from the precomposed
/// letter.
struct TextSearch {
  private let pattern: [UInt8]
  /// For each prefix of the pattern, the length of its longest proper prefix that is also its suffix.
  private let borders: [Int]

  /// - Parameter text: text that is not empty.
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

  /// The byte offset of the first occurrence at or after an offset; nil if the text does not occur.
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

  /// The byte offsets of at most `limit` occurrences that do not overlap.
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
