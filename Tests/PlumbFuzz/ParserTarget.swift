/// A parser of bytes, and its inputs.
public struct ParserTarget: Sendable {
  public let name: String
  /// Inputs that reach most of its lines.
  public let corpus: [[UInt8]]
  /// The pieces that mutations insert.
  public let words: [[UInt8]]
  /// Parses bytes that are in an allocation of exactly their size.
  ///
  /// - Returns: whether the parser accepts them.
  public let parse: @Sendable (UnsafeRawBufferPointer) -> Bool

  init(
    _ name: String, corpus: [[UInt8]], words: [String] = [],
    parse: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool
  ) {
    (self.name, self.corpus) = (name, corpus)
    self.words = words.map { Array($0.utf8) }
    self.parse = { (try? parse($0)) ?? false }
  }

  init(
    _ name: String, texts: [String], words: [String] = [],
    parse: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool
  ) {
    self.init(name, corpus: texts.map { Array($0.utf8) }, words: words, parse: parse)
  }

  /// All targets.
  public static let all: [ParserTarget] =
    binary + columns + rasters + remote + documents + numbers + tables + shapes + networks
    + expressions + feeds + names + maps + requests

  /// Parses one input, in an allocation of exactly its size, so that a sanitizer detects reads beyond it.
  public func run(_ bytes: [UInt8]) -> Bool {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return parse(UnsafeRawBufferPointer(memory))
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as text.
  var text: UnsafeBufferPointer<UInt8> { bindMemory(to: UInt8.self) }

  var string: String { String(decoding: self, as: UTF8.self) }

  /// A read closure that returns the bytes, a few at a time.
  func reader(step: Int) -> (UnsafeMutableRawBufferPointer) -> Int {
    let bytes = self
    var done = 0
    return { buffer in
      let count = Swift.min(step, buffer.count, bytes.count - done)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]))
      done += count
      return count
    }
  }
}
