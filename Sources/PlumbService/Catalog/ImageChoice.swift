import Plumb

/// What of an image service is asked, and how values are made of its cells.
struct ImageChoice: Sendable, Hashable {
  /// The files by their indices, the one on top first; nil for all in their order.
  var members: [Int]?
  /// From 0; nil for all.
  var bands: [Int]?
  var resampling = Resampling.nearest
  /// Cells that are up to two to this power times as wide as the raster's own are read where its files
  /// have such.
  var power = 0
}
