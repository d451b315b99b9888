import PlumbCore

/// What a raster is, read once when it is opened: its grid, its bands, its tiles.
public struct RasterProfile: Sendable {
  public var grid: TileGrid
  public var mapping: GridMapping
  /// The spatial reference as a code or WKT, nil when the raster has none. Made at the first call: looking
  /// it up takes longer than opening the file.
  public var reference: String? { lazyReference.text }
  private let lazyReference: LazyText
  /// After how much x comes round again in the raster's reference: 360 in degrees of longitude, nil
  /// where x has no period. Made at the first call, as the reference is.
  public var longitudePeriod: Double? { lazyPeriod.value }
  private let lazyPeriod: LazyValue<Double?>
  public var bands: [Band]
  /// Whether one tile holds all bands cell by cell (all of one type), or each band has its own.
  public var isInterleaved: Bool

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
  ///   - lazyReference: the spatial reference as a code or WKT, when somebody asks for it.
  ///   - lazyPeriod: `longitudePeriod`, likewise.
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

  /// Makes everything that is made at a first call, so that nothing keeps the file open for it.
  public func settle() {
    _ = reference
    _ = longitudePeriod
    for band in bands { _ = band.unit }
  }

  /// How many planes of pixels there are. The mask of band `b` is plane `pixelPlanes + b`.
  public var pixelPlanes: Int { isInterleaved ? 1 : bands.count }

  public func plane(band: Int) -> Int { isInterleaved ? 0 : band }

  public func maskPlane(band: Int) -> Int { pixelPlanes + band }

  /// Bytes from one cell to the next in a plane's tile.
  public func cellStride(plane: Int) -> Int {
    if plane >= pixelPlanes { return 1 }
    return isInterleaved
      ? bands.count * bands[0].pixelType.byteCount : bands[plane].pixelType.byteCount
  }

  /// Bytes from a cell's start to the band's value.
  func bandOffset(_ band: Int) -> Int {
    isInterleaved ? band * bands[0].pixelType.byteCount : 0
  }

  public func tileByteCount(plane: Int) -> Int { grid.cellsPerTile * cellStride(plane: plane) }
}

/// One band: what its values are and which of them count.
public struct Band: Sendable {
  public var pixelType: PixelType
  public var validity: Validity
  public var scale: Double
  public var offset: Double
  /// The unit of the values; made at the first call, as it may stand in the reference.
  public var unit: String { lazyUnit.text ?? "" }
  private let lazyUnit: LazyText
  public var name: String
  /// How the file says the band is to be seen: `Gray`, `Red`, `Alpha`, `Palette`…
  public var colorInterpretation: String
  /// Class names by value, from an attribute table, category names or a colour table.
  public var classes: ClassTable?

  public init(
    pixelType: PixelType, validity: Validity = .all, scale: Double = 1, offset: Double = 0,
    unit: LazyText = LazyText(nil), name: String = "", colorInterpretation: String = "",
    classes: ClassTable? = nil
  ) {
    self.pixelType = pixelType
    self.validity = validity
    self.scale = scale
    self.offset = offset
    lazyUnit = unit
    self.name = name
    self.colorInterpretation = colorInterpretation
    self.classes = classes
  }

  public var isScaled: Bool { scale != 1 || offset != 0 }
}

/// Which cells of a band hold a value. A NaN never does.
public enum Validity: Sendable, Hashable {
  case all
  case noData(NoData)
  /// Where the band with this index (from 0) is 0 the cell is masked.
  case alpha(band: Int)
  /// The source's own mask plane of the band: 0 is masked, or nodata where the mask stands for
  /// nodata values of several bands.
  case mask(meansNoData: Bool)
}

/// A nodata value in the form the file keeps it.
public enum NoData: Sendable, Hashable {
  case real(Double)
  case integer(Int64)
  case unsigned(UInt64)

  public var description: String {
    switch self {
    case .real(let value): value.description
    case .integer(let value): value.description
    case .unsigned(let value): value.description
    }
  }
}

/// Names of classes by ranges of value.
public struct ClassTable: Sendable {
  public struct Entry: Sendable {
    public var lower: Double
    public var upper: Double
    public var name: String

    public init(lower: Double, upper: Double, name: String) {
      self.lower = lower
      self.upper = upper
      self.name = name
    }
  }

  public var entries: [Entry]

  public init(entries: [Entry]) { self.entries = entries.sorted { $0.lower < $1.lower } }

  /// The name of a value's class: the last entry that begins at or below the value and reaches it.
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
