import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbParquet
import Synchronization

/// A Parquet file at a URL or in a bucket. Only the ranges that are needed are requested.
final class RemoteByteSource: ByteSource {
  /// A range that has been requested before it is read.
  private struct Coming: Sendable {
    let fetch: RangeFetch
    /// The number of the range in the fetch.
    let job: Int
  }

  private let file: RemoteFile
  private let coming = Mutex<[Range<Int>: Coming]>([:])

  /// The number of bytes at the end that are requested when the file is opened. `ParquetFile` reads the metadata
  /// from them.
  private static let tailBytes = 64 << 10
  /// The largest number of bytes of a request. Longer ranges are requested in parts, several at a time.
  private static let partBytes = 8 << 20
  private static let endings: Set<String> = ["parquet", "geoparquet"]

  var count: Int { file.byteCount }

  /// Opens a file with one or two requests.
  ///
  /// - Parameters:
  ///   - settings: the settings of requests for a file that a document names; nil for a file that the user names.
  /// - Throws: if a request fails.
  init(_ address: RemoteAddress, settings: HTTPSettings?) throws {
    // GDAL signs the requests for buckets.
    if settings != nil, address.url == nil { try GDALLibrary.load() }
    let settings = try settings ?? Self.userSettings(address)
    file = try address.open(settings)
    let count = file.byteCount
    try file.keep([max(0, count - Self.tailBytes)..<count])
  }

  /// The address of a remote file whose name has an extension of Parquet; nil for other paths.
  static func address(of path: String) -> RemoteAddress? {
    guard let address = RemoteAddress(ofFile: path), endings.contains(address.ending) else {
      return nil
    }
    return address
  }

  /// The settings that the user has given GDAL. Options that only GDAL's own requests support are ignored.
  private static func userSettings(_ address: RemoteAddress) throws -> HTTPSettings {
    do {
      try GDALLibrary.load()
    } catch {
      // GDAL signs the requests for buckets.
      guard address.url != nil else { throw error }
      return HTTPSettings()
    }
    return HTTPSettings(gdalPath: address.gdalPath) ?? HTTPSettings()
  }

  // MARK: Reading

  func prefetch(_ ranges: [Range<Int>]) {
    coming.withLock { coming in
      let parts = ranges.flatMap { Self.parts(of: $0) }.filter { coming[$0] == nil }
      guard !parts.isEmpty else { return }
      let fetch = RangeFetch(file, parts)
      for (job, part) in parts.enumerated() { coming[part] = Coming(fetch: fetch, job: job) }
    }
  }

  func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard position >= 0, buffer.count <= count - position else {
      throw FormatError("the file ends too early", offset: count)
    }
    for part in Self.parts(of: position..<position + buffer.count) {
      let offset = part.lowerBound - position
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<offset + part.count])
      guard try file.read(target, at: part.lowerBound) == part.count else {
        throw FormatError("the file ends too early", offset: part.lowerBound)
      }
      // Each range is read once.
      if let known = coming.withLock({ $0.removeValue(forKey: part) }) {
        known.fetch.release(known.job)
      }
    }
  }

  /// Splits a range into parts. `prefetch` and `read` split the same range into the same parts.
  private static func parts(of range: Range<Int>) -> [Range<Int>] {
    stride(from: range.lowerBound, to: range.upperBound, by: partBytes).map {
      $0..<min($0 + partBytes, range.upperBound)
    }
  }
}
