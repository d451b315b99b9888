import PlumbCore

/// What a raster is, read once when it is opened: its grid, its bands, its tiles.
public struct RasterProfile: Sendable {
  /// The cells and how they are cut into tiles.
  public var grid: TileGrid
  /// How coordinates become positions on the grid.
  public var mapping: GridMapping
  /// The spatial reference as a code or WKT, nil when the raster has none. Made at the first call: looking
  /// it up takes longer than opening the file.
  public var reference: String? { lazyReference.text }
  private let lazyReference: LazyText
  /// After how much x comes round again in the raster's reference: 360 in degrees of longitude, nil
  /// where x has no period. Made at the first call, as the reference is.
  public var longitudePeriod: Double? { lazyPeriod.value }
  private let lazyPeriod: LazyValue<Double?>
  /// The bands, in the file's order.
  public var bands: [Band]
  /// Whether one tile holds all bands cell by cell (all of one type), or each band has its own.
  public var isInterleaved: Bool
  /// What has been assumed of where the cells lie, in one line; nil where the file says it all.
  public var note: String?

  /// A profile whose reference is known already.
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
  ///   - grid: the cells and how they are cut into tiles.
  ///   - mapping: how coordinates become positions on the grid.
  ///   - lazyReference: the spatial reference as a code or WKT, when somebody asks for it.
  ///   - lazyPeriod: `longitudePeriod`, likewise.
  ///   - bands: in the file's order.
  ///   - isInterleaved: whether one tile holds all bands cell by cell.
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

  /// The plane that holds a band's values.
  public func plane(band: Int) -> Int { isInterleaved ? 0 : band }

  /// The plane that holds a band's mask, a byte a cell.
  public func maskPlane(band: Int) -> Int { pixelPlanes + band }

  /// The planes that some bands take: their values', and those of the alpha bands and masks that say
  /// which are values.
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

  /// Bytes of one tile in all planes that some bands take.
  func tileBytes(of bands: [Int]) -> Double {
    planes(of: bands).reduce(0) { $0 + Double(tileByteCount(plane: $1)) }
  }

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

  /// Bytes of one whole tile of a plane.
  public func tileByteCount(plane: Int) -> Int { grid.cellsPerTile * cellStride(plane: plane) }
}

/// One band: what its values are and which of them count.
public struct Band: Sendable {
  /// The type in which values are read.
  public var pixelType: PixelType
  /// Which cells hold a value.
  public var validity: Validity
  /// A value as it is meant is the stored one times `scale` plus `offset`; 1 for none.
  public var scale: Double
  /// What is added after `scale`; 0 for none.
  public var offset: Double
  /// The unit of the values; made at the first call, as it may stand in the reference.
  public var unit: String { lazyUnit.text ?? "" }
  private let lazyUnit: LazyText
  /// What the file calls the band; empty where it says nothing.
  public var name: String
  /// How the file says the band is to be seen: `Gray`, `Red`, `Alpha`, `Palette`…
  public var colorInterpretation: String
  /// Class names by value, from an attribute table, category names or a colour table.
  public var classes: ClassTable?
  /// The colour of each value from 0, from a colour table; empty where the file has none.
  public var colors: [Color]

  /// A band of a type whose every cell holds a value, unless said otherwise.
  public init(
    pixelType: PixelType, validity: Validity = .all, scale: Double = 1, offset: Double = 0,
    unit: LazyText = LazyText(nil), name: String = "", colorInterpretation: String = "",
    classes: ClassTable? = nil, colors: [Color] = []
  ) {
    self.pixelType = pixelType
    self.validity = validity
    self.scale = scale
    self.offset = offset
    lazyUnit = unit
    self.name = name
    self.colorInterpretation = colorInterpretation
    self.classes = classes
    self.colors = colors
  }

  /// Whether a stored value differs from the one that is meant.
  public var isScaled: Bool { scale != 1 || offset != 0 }
}

/// Which cells of a band hold a value. A NaN never does.
public enum Validity: Sendable, Hashable {
  /// Every cell, NaN aside.
  case all
  /// Cells of any other value than this one.
  case noData(NoData)
  /// Where the band with this index (from 0) is 0 the cell is masked.
  case alpha(band: Int)
  /// The source's own mask plane of the band: 0 is masked, or nodata where the mask stands for
  /// nodata values of several bands.
  case mask(meansNoData: Bool)
}

/// A nodata value in the form the file keeps it.
public enum NoData: Sendable, Hashable {
  /// That of a band of any type but the integers of 64 bits.
  case real(Double)
  /// That of an `int64` band, in full.
  case integer(Int64)
  /// That of a `uint64` band, in full.
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

/// Names of classes by ranges of value.
public struct ClassTable: Sendable {
  /// A class: the values from `lower` to `upper`, both among them.
  public struct Entry: Sendable {
    /// The least value of the class.
    public var lower: Double
    /// The greatest value of the class; that of `lower` for a class of one value.
    public var upper: Double
    /// What the class is called.
    public var name: String

    /// A class of a range of values.
    public init(lower: Double, upper: Double, name: String) {
      self.lower = lower
      self.upper = upper
      self.name = name
    }
  }

  /// By ascending `lower`, as `init(entries:)` sorts them.
  public var entries: [Entry]

  /// A table of these classes, sorted by their least values.
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
