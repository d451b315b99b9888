import PlumbCore

/// The division of an array into chunks. The last two dimensions are the rows and columns of a raster. The indices of
/// the other dimensions are its bands; the last of these dimensions varies fastest.
package struct ChunkLayout: Sendable {
  /// The number of elements in each dimension, and in each dimension of a chunk.
  package var (shape, chunks): ([Int], [Int])
  package var type: PixelType

  package init(shape: [Int], chunks: [Int], type: PixelType) {
    (self.shape, self.chunks, self.type) = (shape, chunks, type)
  }

  /// The size of a chunk in bytes before compression.
  package var chunkBytes: Int { chunks.reduce(type.byteCount, *) }

  /// The number of chunks in each dimension.
  package var chunkCounts: [Int] { zip(shape, chunks).map { ($0 + $1 - 1) / $1 } }

  /// The number of dimensions before those of rows and columns.
  package var leading: Int { shape.count - 2 }

  /// The indices of the chunk of a band in a tile, and the band's position in the chunk.
  package func chunk(ofBand band: Int, _ down: Int, _ across: Int) -> ([Int], position: Int) {
    var (rest, position, factor) = (band, 0, 1)
    var indices = [Int](repeating: 0, count: leading) + [down, across]
    for dimension in (0..<leading).reversed() {
      let index = rest % shape[dimension]
      rest /= shape[dimension]
      indices[dimension] = index / chunks[dimension]
      position += index % chunks[dimension] * factor
      factor *= chunks[dimension]
    }
    return (indices, position)
  }

  /// The indices of the next chunk of the same tile; nil after the last one. The last of the leading dimensions varies
  /// fastest.
  package func next(_ indices: [Int]) -> [Int]? {
    var next = indices
    let counts = chunkCounts
    var dimension = leading - 1
    while dimension >= 0 {
      next[dimension] += 1
      if next[dimension] < counts[dimension] { return next }
      next[dimension] = 0
      dimension -= 1
    }
    return nil
  }
}
