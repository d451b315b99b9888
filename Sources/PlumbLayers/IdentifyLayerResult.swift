import PlumbCore
import PlumbRaster

/// What one layer holds at a place.
public struct IdentifyLayerResult: Sendable {
  public struct Layer: Sendable, Hashable {
    public var id: String
    public var name: String
    /// `raster` for raster layers.
    public var type: String

    public init(id: String, name: String, type: String) {
      self.id = id
      self.name = name
      self.type = type
    }
  }

  /// Why a layer could not answer.
  public struct Failure: Error, Sendable, Hashable {
    /// A word for scripts: `transform_failed`, `read_error`, `bad_place`.
    public var code: String
    public var message: String

    public init(code: String, message: String) {
      self.code = code
      self.message = message
    }
  }

  public var layer: Layer
  public var geoElements: [RasterCell]
  public var sublayerResults: [IdentifyLayerResult]
  public var isTransferLimitExceeded: Bool
  public var error: Failure?

  public init(
    layer: Layer, geoElements: [RasterCell] = [], sublayerResults: [IdentifyLayerResult] = [],
    isTransferLimitExceeded: Bool = false, error: Failure? = nil
  ) {
    self.layer = layer
    self.geoElements = geoElements
    self.sublayerResults = sublayerResults
    self.isTransferLimitExceeded = isTransferLimitExceeded
    self.error = error
  }
}

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
