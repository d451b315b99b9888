/// Copies the bytes of literals and of back references for the Snappy and LZ4 decoders.
enum BackReference {
  /// Appends `length` bytes that begin `distance` bytes before the end of the output; the ranges may
  /// overlap. Up to 15 bytes after the appended bytes are overwritten with unspecified content.
  ///
  /// - Precondition: the output has at least `distance` bytes, and `distance` is not 0.
  @inline(__always)
  static func copy(_ end: UnsafeMutableRawPointer, distance: Int, length: Int) {
    let start = UnsafeRawPointer(end - distance)
    if distance >= 16 {
      var done = 0
      while done < length {
        end.storeBytes(
          of: start.loadUnaligned(fromByteOffset: done, as: SIMD16<UInt8>.self),
          toByteOffset: done, as: SIMD16<UInt8>.self)
        done &+= 16
      }
    } else if distance >= 8 {
      var done = 0
      while done < length {
        end.storeBytes(
          of: start.loadUnaligned(fromByteOffset: done, as: UInt64.self), toByteOffset: done,
          as: UInt64.self)
        done &+= 8
      }
    } else if distance == 1 {
      end.initializeMemory(
        as: UInt8.self, repeating: start.load(as: UInt8.self), count: length)
    } else {
      for index in 0..<length {
        end.storeBytes(
          of: start.load(fromByteOffset: index, as: UInt8.self), toByteOffset: index, as: UInt8.self
        )
      }
    }
  }

  /// Copies a literal of at most 16 bytes as 16 bytes: the bytes after the literal are read, and the bytes
  /// after its copy are overwritten with unspecified content. Longer literals are copied exactly.
  @inline(__always)
  static func copy(
    literal source: UnsafeRawPointer, to end: UnsafeMutableRawPointer, length: Int
  ) {
    if length <= 16 {
      end.storeBytes(
        of: source.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
    } else {
      end.copyMemory(from: source, byteCount: length)
    }
  }
}
