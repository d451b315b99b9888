import PlumbCore

/// The properties of a raster, read once on opening: its grid, bands and tiles.
public struct RasterProfile: Sendable {
  /// The cells and their division into tiles.
  public var grid: TileGrid
  /// The mapping from coordinates to grid positions.
  public var mapping: GridMapping
  /// The CRS as a code or WKT; nil if the raster has none. The CRS is determined on first use,
  /// because this takes longer than opening the file.
  public var reference: String? { lazyReference.text }
  private let lazyReference: LazyText
  /// The period of x in the raster's CRS, 360 for longitudes in degrees; nil if x is not periodic.
  /// Like the CRS, the period is determined on first use.
  public var longitudePeriod: Double? { lazyPeriod.value }
  private let lazyPeriod: LazyValue<Double?>
  /// The bands, in the file's order.
  public var bands: [Band]
  /// Whether one tile contains all bands, cell by cell and all of one type. If false, each band has
  /// its own tiles.
  public var isInterleaved: Bool
  /// A one-line description of an assumption about the placement of the cells; nil if the file
  /// defines the placement completely.
  public var note: String?

  /// Creates a profile whose CRS is already known.
  public init(
    grid: TileGrid, mapping: GridMapping, reference: String?, longitudePeriod: Double? = nil,
    bands: [Band], isInterleaved: Bool
  ) {
    self.grid = grid
    self.mapping = mapping
    lazyReference = LazyText(reference)
    lazyPeriod = LazyValue(longitudePeriod)
    self.bands = bands
    self.isInterleaved = isInterleaved
  }

  /// - Parameters:
  ///   - grid: the cells and their division into tiles.
  ///   - mapping: the mapping from coordinates to grid positions.
  ///   - lazyReference: the CRS as a code or WKT, evaluated on demand.
  ///   - lazyPeriod: the value of `longitudePeriod`, evaluated on demand.
  ///   - bands: the bands, in the file's order.
  ///   - isInterleaved: whether one tile contains all bands cell by cell.
  public init(
    grid: TileGrid, mapping: GridMapping, lazyReference: LazyText,
    lazyPeriod: LazyValue<Double?>, bands: [Band], isInterleaved: Bool
  ) {
    self.grid = grid
    self.mapping = mapping
    self.lazyReference = lazyReference
    self.lazyPeriod = lazyPeriod
    self.bands = bands
    self.isInterleaved = isInterleaved
  }

  /// Evaluates all lazy values, so that the file does not have to remain open.
  public func settle() {
    _ = reference
    _ = longitudePeriod
    for band in bands { _ = band.unit }
  }

  /// The number of planes of pixels. The mask of band `b` is plane `pixelPlanes + b`.
  public var pixelPlanes: Int { isInterleaved ? 1 : bands.count }

  /// The plane with a band's values.
  public func plane(band: Int) -> Int { isInterleaved ? 0 : band }

  /// The plane with a band's mask, one byte per cell.
  public func maskPlane(band: Int) -> Int { pixelPlanes + band }

  /// The planes that are needed to read bands: the planes of their values, alpha bands and masks.
  func planes(of bands: [Int]) -> Set<Int> {
    var planes: Set<Int> = []
    for band in bands {
      planes.insert(plane(band: band))
      switch self.bands[band].validity {
      case .all, .noData: break
      case .alpha(let alpha): planes.insert(plane(band: alpha))
      case .mask: planes.insert(maskPlane(band: band))
      }
    }
    return planes
  }

  /// The size in bytes of one tile in all planes that are needed to read bands.
  func tileBytes(of bands: [Int]) -> Double {
    planes(of: bands).reduce(0) { $0 + Double(tileByteCount(plane: $1)) }
  }

  /// The number of bytes between consecutive cells in a plane's tile.
  public func cellStride(plane: Int) -> Int {
    if plane >= pixelPlanes { return 1 }
    return isInterleaved
      ? bands.count * bands[0].pixelType.byteCount : bands[plane].pixelType.byteCount
  }

  /// The number of bytes from the start of a cell to the band's value.
  func bandOffset(_ band: Int) -> Int {
    isInterleaved ? band * bands[0].pixelType.byteCount : 0
  }

  /// The size in bytes of one complete tile of a plane.
  public func tileByteCount(plane: Int) -> Int { grid.cellsPerTile * cellStride(plane: plane) }
}

/// The properties of one band, including which of its values are valid.
public struct Band: Sendable {
  /// The type in which values are read.
  public var pixelType: PixelType { didSet { noDataRange = NoDataRange(validity, pixelType) } }
  /// The rule that determines which cells contain a value.
  public var validity: Validity { didSet { noDataRange = NoDataRange(validity, pixelType) } }
  /// The values of a floating-point or complex type that are equal to the nodata value.
  private(set) var noDataRange: NoDataRange<Double>
  /// The factor from stored to actual values: the actual value is the stored value times `scale`
  /// plus `offset`. 1 if the file defines no factor.
  public var scale: Double
  /// The number that is added after multiplication by `scale`; 0 if the file does not define one.
  public var offset: Double
  /// The unit of the values. The unit is determined on first use, because it may be in the CRS.
  public var unit: String { lazyUnit.text ?? "" }
  private let lazyUnit: LazyText
  /// The name of the band in the file; empty if the band has no name.
  public var name: String
  /// The colour interpretation in the file: `Gray`, `Red`, `Alpha`, `Palette`…
  public var colorInterpretation: String
  /// Class names by value, from an attribute table, category names or a colour table.
  public var classes: ClassTable?
  /// The colour of each value from 0, from a colour table; empty if the file does not contain one.
  public var colors: [Color]
  /// The date of the values; nil if the file does not contain one.
  public var date: ImageDate?
  /// The values that the reader of the file replaces by the nodata value; nil if it does not
  /// replace any.
  package var excluded: ExcludedValues?

  /// Creates a band; by default, every cell contains a value.
  public init(
    pixelType: PixelType, validity: Validity = .all, scale: Double = 1, offset: Double = 0,
    unit: LazyText = LazyText(nil), name: String = "", colorInterpretation: String = "",
    classes: ClassTable? = nil, colors: [Color] = []
  ) {
    self.pixelType = pixelType
    self.validity = validity
    noDataRange = NoDataRange(validity, pixelType)
    self.scale = scale
    self.offset = offset
    lazyUnit = unit
    self.name = name
    self.colorInterpretation = colorInterpretation
    self.classes = classes
    self.colors = colors
  }

  /// Whether stored values differ from actual values.
  public var isScaled: Bool { scale != 1 || offset != 0 }
}

/// Determines which cells of a band contain a value. NaN is never a value.
public enum Validity: Sendable, Hashable {
  /// Every cell except NaN.
  case all
  /// Cells with any value except this value or NaN.
  case noData(NoData)
  /// Cells in which the value of the band with this index (from 0) is not 0. The other cells are
  /// masked.
  case alpha(band: Int)
  /// Cells where the source's mask plane for the band is not 0. A cell with 0 has the status
  /// `masked`, or `nodata` if the mask represents the nodata values of several bands.
  case mask(meansNoData: Bool)
}

/// A nodata value as stored in the file.
public enum NoData: Sendable, Hashable {
  /// The nodata value of a band of any type except the 64-bit integers.
  case real(Double)
  /// The exact nodata value of an `int64` band.
  case integer(Int64)
  /// The exact nodata value of a `uint64` band.
  case unsigned(UInt64)

  /// The number as Swift prints it.
  public var description: String {
    switch self {
    case .real(let value): value.description
    case .integer(let value): value.description
    case .unsigned(let value): value.description
    }
  }
}

/// Class names by ranges of values.
public struct ClassTable: Sendable {
  /// A class: the values from `lower` to `upper`, inclusive.
  public struct Entry: Sendable {
    /// The minimum value of the class.
    public var lower: Double
    /// The maximum value of the class; equal to `lower` for a class of one value.
    public var upper: Double
    /// The name of the class.
    public var name: String

    /// Creates a class for a range of values.
    public init(lower: Double, upper: Double, name: String) {
      self.lower = lower
      self.upper = upper
      self.name = name
    }
  }

  /// The classes by ascending `lower`. `init(entries:)` sorts them.
  public var entries: [Entry]

  /// Creates a table of classes, sorted by their minimum values.
  public init(entries: [Entry]) { self.entries = entries.sorted { $0.lower < $1.lower } }

  /// The class name of a value. This is the name of the last entry whose `lower` is at most the
  /// value; nil if the `upper` of this entry is less than the value.
  public func name(of value: Double) -> String? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].lower <= value { low = middle + 1 } else { high = middle }
    }
    guard low > 0, value <= entries[low - 1].upper else { return nil }
    return entries[low - 1].name
  }
}
