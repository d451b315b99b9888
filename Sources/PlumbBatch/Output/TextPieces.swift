import PlumbCore
import PlumbIO

/// Pieces of text that are written repeatedly, identified by index. The pieces share one block of
/// memory, so that the writing threads need no reference counting.
final class TextPieces: Sendable {
  private let bytes: TrivialBuffer<UInt8>
  /// The end of each piece.
  private let ends: TrivialBuffer<Int>

  /// Collects pieces.
  struct Builder {
    private let text = TextBuffer(capacity: 256)
    private var ends: [Int] = []

    package init() {}

    /// - Parameter append: appends the piece's bytes.
    /// - Returns: the piece's index.
    package mutating func add(_ append: (TextBuffer) -> Void) -> Int {
      append(text)
      ends.append(text.count)
      return ends.count - 1
    }

    /// All pieces so far.
    package var pieces: TextPieces { TextPieces(text, ends) }
  }

  private init(_ text: TextBuffer, _ ends: [Int]) {
    bytes = TrivialBuffer(text.bytes)
    self.ends = TrivialBuffer(ends)
  }

  @inline(__always)
  package func append(_ piece: Int, to text: TextBuffer) {
    let start = piece == 0 ? 0 : ends.base[piece - 1]
    text.append(bytes.base + start, ends.base[piece] - start)
  }
}
