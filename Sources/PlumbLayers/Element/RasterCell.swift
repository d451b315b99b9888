import PlumbCore
import PlumbRaster

/// A raster's cell as an element of an identify result.
public struct RasterCell: Sendable {
  /// The value of one attribute of a cell.
  public enum Value: Sendable, Hashable {
    /// No value: nodata, masked or unreadable.
    case null
    /// Text: a class, a unit, the pixel type.
    case text(String)
    /// A cell's value in its stored type.
    case cell(CellValue)
    /// A value after scale and offset.
    case real(Double)
  }

  /// `Pixel.Type`, `Band_0`…, and `Scaled_n`, `Class_n`, `Unit_n` where they apply.
  public var attributes: [(name: String, value: Value)]
  /// The status of each requested band.
  public var status: [SampleStatus]
  /// The row, counted from 0 at the top of the file.
  public var row: Int
  /// The column, counted from 0 at the left of the file.
  public var column: Int
  /// The path of the file that contains the cell.
  public var file: String
  /// The cell's outline in the CRS of the point: a closed ring, counter-clockwise on a north-up grid, from
  /// the lower left corner. Empty if it cannot be transformed.
  public var footprint: [(x: Double, y: Double)]
  /// The distance from the point in metres: 0, because the cell contains it.
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
