import PlumbCore
import PlumbIO

/// Writes pixels as PNG, with 24 bits per pixel if no pixel is transparent, and otherwise with 32.
///
/// Cairo's own writer tries all filters and compresses harder, which takes three times as long for
/// files that are barely smaller.
struct PNGWriter {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let level = 3
  // PNG filter types: the difference from the pixel to the left, or from the pixel above.
  private static let (sub, up): (UInt8, UInt8) = (1, 2)

  private let width, height: Int
  /// Premultiplied ARGB, alpha in the highest byte.
  private let pixels: UnsafePointer<UInt32>
  /// The number of pixels from one row to the next.
  private let stride: Int

  init(_ pixels: UnsafePointer<UInt32>, stride: Int, width: Int, height: Int) {
    (self.pixels, self.stride, self.width, self.height) = (pixels, stride, width, height)
  }

  /// - Throws: if there is not enough memory to compress the picture.
  func write(_ workers: Workers) throws(DrawingError) -> [UInt8] {
    let isOpaque = self.isOpaque
    let rows = filtered(channels: isOpaque ? 3 : 4, workers)
    guard let packed = ZlibPacking.packed(rows, level: Self.level, workers: workers) else {
      throw DrawingError("not enough memory to write a picture")
    }
    var bytes = Self.signature
    bytes.reserveCapacity(packed.count + 64)
    // 8 bits per channel, RGB or RGBA.
    Self.append(
      "IHDR", Self.bigEndian(width) + Self.bigEndian(height) + [8, isOpaque ? 2 : 6, 0, 0, 0],
      to: &bytes)
    Self.append("IDAT", packed, to: &bytes)
    Self.append("IEND", [], to: &bytes)
    return bytes
  }

  private var isOpaque: Bool {
    for row in 0..<height {
      var together = UInt32.max
      for column in 0..<width { together &= pixels[row * stride + column] }
      if together >> 24 != 255 { return false }
    }
    return true
  }

  /// The filtered rows, each after the byte of its filter type.
  private func filtered(channels: Int, _ workers: Workers) -> [UInt8] {
    let size = width * channels
    return [UInt8](unsafeUninitializedCapacity: (size + 1) * height) { bytes, count in
      // Each worker's range covers different rows.
      let (whole, picture) = (SharedPointer(bytes), SharedPointer(self))
      workers.runRanges(height, grain: max(1, Self.grain / max(1, width))) { _, rows in
        let (bytes, picture) = (whole.pointer, picture.pointer)
        // Rows begin with one pixel of zeros, the left neighbour of the first pixel.
        var last = [UInt8](repeating: 0, count: size + channels)
        var current = last
        if rows.lowerBound > 0 { picture.read(rows.lowerBound - 1, channels, to: &last) }
        for row in rows {
          picture.read(row, channels, to: &current)
          let target = UnsafeMutableBufferPointer(rebasing: bytes[(row * (size + 1))...])
          Self.filter(current, last, channels: channels, to: target)
          swap(&last, &current)
        }
      }
      count = (size + 1) * height
    }
  }

  /// The number of pixels in a worker's chunk.
  private static let grain = 1 << 17

  private func read(_ row: Int, _ channels: Int, to bytes: inout [UInt8]) {
    let source = pixels + row * stride
    bytes.withUnsafeMutableBufferPointer { bytes in
      if channels == 3 {
        for column in 0..<width {
          let pixel = source[column]
          let at = 3 + column * 3
          bytes[at] = UInt8(truncatingIfNeeded: pixel >> 16)
          bytes[at + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
          bytes[at + 2] = UInt8(truncatingIfNeeded: pixel)
        }
        return
      }
      for column in 0..<width {
        let pixel = source[column]
        let alpha = pixel >> 24
        func channel(_ shift: UInt32) -> UInt8 {
          let value = (pixel >> shift) & 255
          if alpha == 255 || alpha == 0 { return UInt8(value) }
          return UInt8(min(255, (value * 255 + alpha / 2) / alpha))
        }
        let at = 4 + column * 4
        bytes[at] = channel(16)
        bytes[at + 1] = channel(8)
        bytes[at + 2] = channel(0)
        bytes[at + 3] = UInt8(alpha)
      }
    }
  }

  /// Applies the filter whose result has the smaller sum of absolute differences.
  private static func filter(
    _ row: [UInt8], _ last: [UInt8], channels: Int, to target: UnsafeMutableBufferPointer<UInt8>
  ) {
    row.withUnsafeBufferPointer { row in
      last.withUnsafeBufferPointer { last in
        var (lefts, aboves) = (0, 0)
        for at in channels..<row.count {
          let (left, above) = (row[at] &- row[at - channels], row[at] &- last[at])
          lefts &+= Int(min(left, 0 &- left))
          aboves &+= Int(min(above, 0 &- above))
        }
        if lefts < aboves {
          target[0] = sub
          for at in channels..<row.count {
            target[at - channels + 1] = row[at] &- row[at - channels]
          }
        } else {
          target[0] = up
          for at in channels..<row.count { target[at - channels + 1] = row[at] &- last[at] }
        }
      }
    }
  }

  private static func append(_ name: String, _ content: [UInt8], to bytes: inout [UInt8]) {
    bytes += bigEndian(content.count)
    let start = bytes.count
    bytes += name.utf8
    bytes += content
    bytes += bigEndian(Int(ZlibPacking.checksum(bytes[start...])))
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
