/// The set of requested tiles, with one bit per tile. Each plane is divided into pieces, which are
/// allocated on demand.
struct TouchedTiles {
  private struct Piece: Hashable {
    var source: UInt32
    var plane: UInt32
    /// The index of the piece in its plane.
    var number: UInt32
  }

  private var pieces: [Piece: Int] = [:]
  /// The bits of all pieces, piece by piece.
  private var bits: [UInt64] = []
  private var known = 0
  private var isComplete = true

  /// The number of tiles in a piece.
  private static let pieceSize: UInt32 = 4096
  private static let pieceWords = 64
  /// The largest number of pieces, which limits the bits to 32 MB.
  private static let pieceLimit = 1 << 16

  /// The number of tiles; nil if they are spread over too many pieces to count.
  var count: Int? { isComplete ? known : nil }

  mutating func insert(_ key: TileCache.Key) {
    let piece = Piece(
      source: key.source, plane: key.plane, number: key.tile / Self.pieceSize)
    let offset = Int(key.tile % Self.pieceSize)
    guard let start = start(of: piece) else {
      isComplete = false
      return
    }
    let (word, bit) = (start + offset / 64, UInt64(1) << UInt64(offset % 64))
    if bits[word] & bit == 0 { known += 1 }
    bits[word] |= bit
  }

  private mutating func start(of piece: Piece) -> Int? {
    if let start = pieces[piece] { return start }
    guard pieces.count < Self.pieceLimit else { return nil }
    pieces[piece] = bits.count
    bits += [UInt64](repeating: 0, count: Self.pieceWords)
    return bits.count - Self.pieceWords
  }
}
