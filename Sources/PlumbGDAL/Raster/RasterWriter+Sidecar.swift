import CGDAL
import PlumbCore

extension RasterWriter {
  /// An attribute table of a band's values, with one row for each value.
  public struct AttributeTable: Sendable {
    /// The meaning of a column for programs that read the table.
    public enum Usage: Sendable, CaseIterable {
      /// The value of a row, its name and its count; the minimum and maximum if a row is a range of
      /// values; the components of a colour, from 0 to 255; and `generic` for any other meaning.
      case value, name, count, minimum, maximum, red, green, blue, alpha, generic
    }

    /// The cells of a column, from the first row.
    public enum Values: Sendable, Equatable {
      /// Integers.
      case integers([Int32])
      /// Floating-point numbers.
      case reals([Double])
      /// Strings.
      case texts([String])

      /// The number of rows of the column.
      public var count: Int {
        switch self {
        case .integers(let values): values.count
        case .reals(let values): values.count
        case .texts(let values): values.count
        }
      }
    }

    /// A column of the table.
    public struct Column: Sendable {
      /// The column's title.
      public var name: String
      /// The column's meaning for programs.
      public var usage: Usage
      /// The column's cells, from the first row.
      public var values: Values

      /// Creates a column from its title and cells.
      public init(_ name: String, _ usage: Usage = .generic, _ values: Values) {
        self.name = name
        self.usage = usage
        self.values = values
      }
    }

    /// The columns. Shorter columns are padded with empty cells.
    public var columns: [Column]

    /// Creates a table from its columns.
    public init(columns: [Column]) { self.columns = columns }
  }

  /// The contents of `<path>.aux.xml`, by band.
  struct Sidecar {
    var nodata: [Int: Nodata] = [:]
    var categories: [Int: [String]] = [:]
    var tables: [Int: AttributeTable] = [:]

    var isEmpty: Bool { nodata.isEmpty && categories.isEmpty && tables.isEmpty }
  }

  /// Sets the names of the values 0, 1, 2 and so on. `close()` writes them to the
  /// sidecar.
  public mutating func setCategoryNames(
    _ names: [String], band: Int = 1
  ) throws(GDALError) {
    _ = try handle(band: band)
    sidecar.categories[band] = names
  }

  /// Sets the attribute table. `close()` writes it to the sidecar, so the table can contain counts
  /// of the written cells.
  public mutating func setAttributeTable(
    _ table: AttributeTable, band: Int = 1
  ) throws(GDALError) {
    _ = try handle(band: band)
    sidecar.tables[band] = table
  }

  /// Writes `<path>.aux.xml`. The raster is opened for reading only, because GDAL then writes its
  /// metadata to this file.
  func writeSidecar() throws(GDALError) {
    if sidecar.isEmpty { return }
    try Self.withOption("GDAL_PAM_ENABLE_MARK_DIRTY", "YES") { () throws(GDALError) in
      CPLErrorReset()
      guard
        let dataset = GDALOpenEx(
          path, UInt32(GDAL_OF_RASTER | GDAL_OF_READONLY), nil, nil, nil)
      else { throw failure("cannot open the raster again") }
      do throws(GDALError) {
        try describe(dataset)
      } catch {
        GDALClose(dataset)
        throw error
      }
      CPLErrorReset()
      GDALClose(dataset)
      if CPLGetLastErrorType().rawValue >= CE_Failure.rawValue {
        throw failure("cannot write the sidecar")
      }
    }
  }

  private func describe(_ dataset: GDALDatasetH) throws(GDALError) {
    for (band, value) in sidecar.nodata.sorted(by: { $0.key < $1.key }) {
      guard let handle = GDALGetRasterBand(dataset, Int32(band)) else { continue }
      // GDAL warns that the nodata values of the bands differ, which is intended here.
      CPLPushErrorHandler(CPLQuietErrorHandler)
      defer { CPLPopErrorHandler() }
      try Self.set(value, on: handle, for: self)
    }
    for (band, names) in sidecar.categories.sorted(by: { $0.key < $1.key }) {
      var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      defer { CSLDestroy(list) }
      for name in names { list = CSLAddString(list, name) }
      let handle = GDALGetRasterBand(dataset, Int32(band))
      try check("cannot set the category names") { GDALSetRasterCategoryNames(handle, list) }
    }
    for (band, table) in sidecar.tables.sorted(by: { $0.key < $1.key }) {
      guard let rat = GDALCreateRasterAttributeTable() else { continue }
      defer { GDALDestroyRasterAttributeTable(rat) }
      try fill(rat, from: table)
      let handle = GDALGetRasterBand(dataset, Int32(band))
      try check("cannot set the attribute table") { GDALSetDefaultRAT(handle, rat) }
    }
  }

  private func fill(
    _ rat: GDALRasterAttributeTableH, from table: AttributeTable
  ) throws(GDALError) {
    for column in table.columns {
      try check("cannot add the column \(column.name.printable)") {
        GDALRATCreateColumn(rat, column.name, column.values.fieldType, column.usage.handle)
      }
    }
    GDALRATSetRowCount(rat, Int32(clamping: table.columns.map(\.values.count).max() ?? 0))
    for (field, column) in table.columns.enumerated() {
      let field = Int32(field)
      switch column.values {
      case .integers(let values):
        for (row, value) in values.enumerated() {
          GDALRATSetValueAsInt(rat, Int32(row), field, value)
        }
      case .reals(let values):
        for (row, value) in values.enumerated() {
          GDALRATSetValueAsDouble(rat, Int32(row), field, value)
        }
      case .texts(let values):
        for (row, value) in values.enumerated() {
          GDALRATSetValueAsString(rat, Int32(row), field, value)
        }
      }
    }
  }
}

extension RasterWriter.AttributeTable.Values {
  fileprivate var fieldType: GDALRATFieldType {
    switch self {
    case .integers: GFT_Integer
    case .reals: GFT_Real
    case .texts: GFT_String
    }
  }
}

extension RasterWriter.AttributeTable.Usage {
  fileprivate var handle: GDALRATFieldUsage {
    switch self {
    case .value: GFU_MinMax
    case .name: GFU_Name
    case .count: GFU_PixelCount
    case .minimum: GFU_Min
    case .maximum: GFU_Max
    case .red: GFU_Red
    case .green: GFU_Green
    case .blue: GFU_Blue
    case .alpha: GFU_Alpha
    case .generic: GFU_Generic
    }
  }
}
