import CZlib

/// Bytes packed as zlib packs them, without gzip's header, and its checksum.
package enum ZlibPacking {
  /// - Parameter level: from 1, the quickest, to 9, the smallest.
  /// - Returns: nil where there is no memory for it.
  package static func packed(_ bytes: [UInt8], level: Int) -> [UInt8]? {
    var status = Z_OK
    let packed = [UInt8](unsafeUninitializedCapacity: Int(compressBound(uLong(bytes.count)))) {
      target, count in
      var written = uLong(target.count)
      status = compress2(
        target.baseAddress, &written, bytes, uLong(bytes.count), Int32(level))
      count = status == Z_OK ? Int(written) : 0
    }
    return status == Z_OK ? packed : nil
  }

  /// CRC-32, as gzip and PNG have it.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { bytes in
      UInt32(
        truncatingIfNeeded: crc32_z(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }
  }
}
