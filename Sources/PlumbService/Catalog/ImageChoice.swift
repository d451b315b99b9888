import Plumb

/// The files, bands and resampling of an image service request.
struct ImageChoice: Sendable, Hashable {
  /// The indices of the files, with the topmost file first; nil for all files in their order.
  var members: [Int]?
  /// The band indices from 0; nil for all bands.
  var bands: [Int]?
  var resampling = Resampling.nearest
  /// The exponent of the largest allowed cell width relative to the raster's cell width. Overviews
  /// with cells of up to 2^`power` cell widths are read if the files contain them.
  var power = 0
}
