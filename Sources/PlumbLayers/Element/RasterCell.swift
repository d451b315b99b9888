import PlumbCore
import PlumbRaster

/// A raster's cell as an element of an identify result.
public struct RasterCell: Sendable {
  /// The value of one attribute of a cell.
  public enum Value: Sendable, Hashable {
    /// No value, because the cell is nodata, masked or unreadable.
    case null
    /// Text, such as a class, a unit or the pixel type.
    case text(String)
    /// A cell's value in its stored type.
    case cell(CellValue)
    /// A value after scale and offset.
    case real(Double)
  }

  /// The attributes: `Pixel.Type`, `Band_n` for each requested band `n`, and `Scaled_n`, `Class_n`
  /// and `Unit_n` for bands with a scale, classes or a unit.
  public var attributes: [(name: String, value: Value)]
  /// The status of each requested band.
  public var status: [SampleStatus]
  /// The row, counted from 0 at the top of the file.
  public var row: Int
  /// The column, counted from 0 at the left of the file.
  public var column: Int
  /// The path of the file that contains the cell.
  public var file: String
  /// The cell's outline in the CRS of the point: a closed ring from the lower left corner,
  /// counter-clockwise on a north-up grid. Empty if the outline is unknown or cannot be
  /// transformed.
  public var footprint: [(x: Double, y: Double)]
  /// The distance from the point in metres: always 0, because the cell contains the point.
  public var distance: Double { 0 }

  /// Creates a cell.
  public init(
    attributes: [(name: String, value: Value)], status: [SampleStatus], row: Int, column: Int,
    file: String, footprint: [(x: Double, y: Double)]
  ) {
    self.attributes = attributes
    self.status = status
    self.row = row
    self.column = column
    self.file = file
    self.footprint = footprint
  }
}
