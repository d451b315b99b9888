import PlumbRaster

extension RasterAnswer {
  /// The approximate size of the values and their sources in bytes.
  var memory: Int {
    let values = columns.reduce(0) { $0 + $1.count * ($1.pixelType.byteCount + 1) }
    // The file, the row and the column of each value.
    return values + (provenance == nil ? 0 : (columns.first?.count ?? 0) * 12)
  }
}
