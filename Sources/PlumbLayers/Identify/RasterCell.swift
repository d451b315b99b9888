import PlumbCore
import PlumbRaster

/// A raster's cell as an element of an identify answer.
public struct RasterCell: Sendable {
  public enum Value: Sendable, Hashable {
    case null
    case text(String)
    case cell(CellValue)
    case real(Double)
  }

  /// `Pixel.Type`, `Band_0`…, and `Scaled_n`, `Class_n`, `Unit_n` where they apply.
  public var attributes: [(name: String, value: Value)]
  /// One for each band that was asked for.
  public var status: [PlaceStatus]
  public var row: Int
  public var column: Int
  /// The file that answered.
  public var file: String
  /// The cell's outline in the reference of the place: a closed ring, counter-clockwise on a
  /// north-up grid, from the lower left corner. Empty where it cannot be transformed.
  public var footprint: [(x: Double, y: Double)]
  /// Metres from the place: 0, as the cell holds it.
  public var distance: Double { 0 }

  public init(
    attributes: [(name: String, value: Value)], status: [PlaceStatus], row: Int, column: Int,
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
