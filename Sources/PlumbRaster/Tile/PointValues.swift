/// Reads values at points of a raster whose tiles are not available, as on a remote server.
public struct PointValues: Sendable {
  /// The values at some points.
  public struct Answer: Sendable {
    /// The values of the requested bands for each point, nil for nodata; nil for a point that could not be
    /// read.
    public var values: [[CellValue?]?]
    /// The reason why some points could not be read.
    public var fault: RasterError?

    /// Creates an answer from values and the reason why some are missing.
    public init(values: [[CellValue?]?], fault: RasterError? = nil) {
      (self.values, self.fault) = (values, fault)
    }
  }

  /// Reads values at points in the raster's CRS, all of which are on the raster.
  public var ask: @Sendable (_ points: [SIMD2<Double>], _ bands: [Int]) -> Answer
  /// Whether the profile's grid is that of the cells, so that the cell of a point is known.
  public var hasCellGrid: Bool

  /// Creates a reader of values, with or without a known grid of cells.
  public init(
    hasCellGrid: Bool,
    ask: @escaping @Sendable (_ points: [SIMD2<Double>], _ bands: [Int]) -> Answer
  ) {
    (self.hasCellGrid, self.ask) = (hasCellGrid, ask)
  }
}
