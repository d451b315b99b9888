import PlumbCore
import PlumbRaster

/// A raster's cell as an element of an identify answer.
public struct RasterCell: Sendable {
  /// The value of one attribute of a cell.
  public enum Value: Sendable, Hashable {
    /// No value, as of nodata, a mask or a cell that could not be read.
    case null
    /// A text: a class, a unit, the pixel type.
    case text(String)
    /// A cell's value in its stored type.
    case cell(CellValue)
    /// A value after scale and offset.
    case real(Double)
  }

  /// `Pixel.Type`, `Band_0`…, and `Scaled_n`, `Class_n`, `Unit_n` where they apply.
  public var attributes: [(name: String, value: Value)]
  /// One for each band that was asked for.
  public var status: [SampleStatus]
  /// Counted from 0 at the top of the file that answered.
  public var row: Int
  /// Counted from 0 at the left of the file that answered.
  public var column: Int
  /// The file that answered.
  public var file: String
  /// The cell's outline in the reference of the point: a closed ring, counter-clockwise on a
  /// north-up grid, from the lower left corner. Empty where it cannot be transformed.
  public var footprint: [(x: Double, y: Double)]
  /// Metres from the point: 0, as the cell holds it.
  public var distance: Double { 0 }

  /// What a raster holds at a point.
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
