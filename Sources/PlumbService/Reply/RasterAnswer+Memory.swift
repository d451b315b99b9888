import PlumbRaster

extension RasterAnswer {
  /// The approximate size in bytes of the values and of the data about their source cells.
  var memory: Int {
    let values = columns.reduce(0) { $0 + $1.count * ($1.pixelType.byteCount + 1) }
    // The file, the row and the column of each value take 12 bytes.
    return values + (provenance == nil ? 0 : (columns.first?.count ?? 0) * 12)
  }
}
