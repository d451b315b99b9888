import CGDAL
import PlumbCore
import PlumbIO
import PlumbRaster

/// The location of a raster's array in an HDF5 or NetCDF-4 file.
struct StoredArray: Sendable {
  var file: String
  /// The name of the array, preceded by the path of its groups.
  var name: String
  var shape: [Int]
  /// Whether GDAL's first row is the last row of the array.
  var isBottomUp: Bool
  /// Whether GDAL's multidimensional driver reads the values.
  var needsArrayDriver: Bool
}

/// An array of a local HDF5 or NetCDF-4 file that is stored in chunks. The HDF5 library returns the stored bytes of a
/// chunk, which callers decode on all workers.
package final class ChunkedArray: Sendable {
  /// A step of the encoding of a chunk.
  package enum Filter: Int32, Sendable {
    case deflate = 1
    case shuffle = 2
    case fletcher32 = 3
  }

  /// The number of elements in each dimension, and in each dimension of a chunk.
  package let (shape, chunks): ([Int], [Int])
  /// The type of the values, which are little-endian.
  package let type: PixelType
  /// The value of chunks that were never written.
  package let fill: [UInt8]
  /// The steps of the encoding, in the order in which they are applied when a chunk is written.
  package let filters: [Filter]
  /// Whether GDAL's first row is the last row of the array.
  package let isBottomUp: Bool
  private let handle: SharedPointer<OpaquePointer>
  private let fault: FaultLine

  /// The pixel types in the order of `plumb_hdf5_type`.
  private static let types: [PixelType] = [
    .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64, .float32, .float64,
  ]

  /// - Returns: nil if the array is not stored in chunks, or has a type or a filter that is not supported.
  init?(_ stored: StoredArray, path: String) {
    #if _endian(big)
      return nil
    #else
      let fault = FaultLine(path: path, driver: "HDF5")
      var layout = plumb_hdf5_layout()
      guard
        let opened = fault.whileInside({ plumb_hdf5_open(stored.file, stored.name, &layout) })
      else { return nil }
      (handle, self.fault) = (SharedPointer(opened), fault)
      let rank = Int(layout.rank)
      shape = Self.list(layout.shape, rank) { Int(clamping: $0 as UInt64) }
      chunks = Self.list(layout.chunk, rank) { Int(clamping: $0 as UInt64) }
      let filters = Self.list(layout.filters, Int(layout.filter_count)) { $0 as Int32 }
      self.filters = filters.compactMap { Filter(rawValue: $0) }
      type = Self.types[Int(layout.type.rawValue)]
      fill = Array(Self.list(layout.fill, 8) { $0 as UInt8 }.prefix(type.byteCount))
      isBottomUp = stored.isBottomUp
      guard self.filters.count == filters.count, shape == stored.shape,
        chunks.allSatisfy({ $0 > 0 })
      else { return nil }
    #endif
  }

  deinit { fault.whileInside { plumb_hdf5_close(handle.pointer) } }

  /// The elements of a tuple, which is a C array.
  private static func list<Tuple, Element, Result>(
    _ tuple: Tuple, _ count: Int, _ convert: (Element) -> Result
  ) -> [Result] {
    withUnsafeBytes(of: tuple) { $0.bindMemory(to: Element.self).prefix(count).map(convert) }
  }

  /// Reads the stored bytes of a chunk.
  ///
  /// - Parameters:
  ///   - indices: the number of the chunk in each dimension.
  ///   - limit: the maximum number of bytes.
  ///   - buffer: the buffer for the bytes, which is replaced by a larger one if the bytes do not
  ///     fit.
  /// - Returns: the number of bytes, and a set of bits for the filters that were not applied; nil for a chunk that was
  ///   never written.
  /// - Throws: if the chunk cannot be read or is larger than the limit.
  package func read(
    _ indices: [Int], limit: Int, into buffer: inout TrivialBuffer<UInt8>
  ) throws(PlumbError) -> (count: Int, skipped: UInt32)? {
    let start = zip(indices, chunks).map { UInt64($0 * $1) }
    return try fault.whileInside { () throws(PlumbError) in
      let size = Int(plumb_hdf5_chunk_size(handle.pointer, start))
      if size == 0 { return nil }
      guard size > 0, size <= limit else { throw damage(indices) }
      if buffer.count < size { buffer = TrivialBuffer(count: size + size / 4) }
      var skipped: UInt32 = 0
      guard plumb_hdf5_read_chunk(handle.pointer, start, &skipped, buffer.base) != 0 else {
        throw damage(indices)
      }
      return (size, skipped)
    }
  }

  /// The error for a chunk that cannot be read or decoded.
  package func damage(_ indices: [Int]) -> PlumbError {
    PlumbError("the chunk \(indices.map(String.init).joined(separator: ".")) is damaged")
  }
}

extension GDALRasterSource {
  /// The array of a local HDF5 or NetCDF-4 file, whose chunks Plumb decodes itself.
  ///
  /// - Returns: nil for other rasters, for overviews, and for rasters that a document names, because their
  ///   files could contain links to other files.
  package func chunkedArray() -> ChunkedArray? {
    guard access.trust != .document, level == nil, let stored = details.stored else { return nil }
    return ChunkedArray(stored, path: path)
  }
}

extension RasterHandle {
  /// The location of the array of the raster; nil for a file of another format.
  func storedArray(
    _ array: FileArray, _ placement: Placement, _ bands: [Band]
  ) -> StoredArray? {
    guard ["netCDF", "HDF5", "HDF5Image"].contains(driverName),
      let isBottomUp = placement.isBottomUp, let name = array.fullName,
      let description = descriptionPath
    else { return nil }
    let file = ArrayName(description).file
    guard FileKind(path: file) == .file else { return nil }
    return StoredArray(
      file: file, name: name, shape: array.dimensions.map(\.size), isBottomUp: isBottomUp,
      needsArrayDriver: needsArrayDriver(array, bands))
  }
}
