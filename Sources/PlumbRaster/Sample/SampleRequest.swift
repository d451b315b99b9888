/// A raster and the bands (from 0) to read.
public struct SampleRequest: Sendable {
  /// The raster or mosaic.
  public var raster: Raster
  /// The bands to read, counted from 0, in the order of the answer's columns.
  public var bands: [Int]
  /// Whether the bands of a raster with several bands are numbered in the names of columns.
  package var numbersBands = true

  /// - Parameters:
  ///   - raster: the raster or mosaic.
  ///   - bands: band indices from 0; nil for all.
  public init(_ raster: Raster, bands: [Int]? = nil) {
    self.raster = raster
    self.bands = bands ?? Array(raster.bands.indices)
  }

  /// The source of values by point; nil if the raster has tiles.
  var pointValues: PointValues? { raster.members[0].pointValues }
}
