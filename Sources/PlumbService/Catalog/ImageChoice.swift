import Plumb

/// The files, bands and resampling of an image service request.
struct ImageChoice: Sendable, Hashable {
  /// The index of the date of a layer with dates; nil for the last one.
  var date: Int?
  /// Whether the requested time has no date, so that no cell has a value.
  var isEmpty = false
  /// The indices of the files, with the topmost file first; nil for all files in their order.
  var members: [Int]?
  /// The band indices from 0; nil for all bands.
  var bands: [Int]?
  var resampling = Resampling.nearest
  /// The exponent of the largest allowed cell width relative to the raster's cell width. Overviews
  /// with cells of up to 2^`power` cell widths are read if the files contain them.
  var power = 0
}
