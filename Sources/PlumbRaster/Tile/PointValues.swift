/// Reads the values at points of a raster whose tiles are not available, for example a raster on a
/// remote server.
public struct PointValues: Sendable {
  /// The values at points.
  public struct Answer: Sendable {
    /// For each point, the values of the requested bands; a nil value is nodata. The element is nil
    /// for a point that could not be read.
    public var values: [[CellValue?]?]
    /// The reason why some points could not be read.
    public var fault: RasterError?

    /// Creates an answer from values and the reason why some values are missing.
    public init(values: [[CellValue?]?], fault: RasterError? = nil) {
      (self.values, self.fault) = (values, fault)
    }
  }

  /// A function that reads the values of bands at points in the raster's CRS. All points are on the
  /// raster.
  public var ask: @Sendable (_ points: [SIMD2<Double>], _ bands: [Int]) -> Answer
  /// Whether the profile's grid is the actual grid of the cells, so that the cell of a point is
  /// known.
  public var hasCellGrid: Bool

  /// Creates a reader of values, with or without a known grid of cells.
  public init(
    hasCellGrid: Bool,
    ask: @escaping @Sendable (_ points: [SIMD2<Double>], _ bands: [Int]) -> Answer
  ) {
    (self.hasCellGrid, self.ask) = (hasCellGrid, ask)
  }
}
