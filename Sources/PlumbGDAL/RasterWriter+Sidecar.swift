import CGDAL
import PlumbCore

extension RasterWriter {
  /// A table that says more about a band's values, a row for each.
  public struct AttributeTable: Sendable {
    /// What a column means to programs that read the table.
    public enum Usage: Sendable, CaseIterable {
      /// The value that a row is about, its name and its count; the least and greatest value of a
      /// row about a range; the parts of a colour from 0 to 255; anything else.
      case value, name, count, minimum, maximum, red, green, blue, alpha, generic
    }

    /// The cells of a column, from the first row.
    public enum Values: Sendable, Equatable {
      /// Whole numbers.
      case integers([Int32])
      /// Numbers with fractions.
      case reals([Double])
      /// Texts.
      case texts([String])

      /// How many rows the column has.
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
      /// Its title.
      public var name: String
      /// What it means to programs.
      public var usage: Usage
      /// Its cells.
      public var values: Values

      /// A column of its title and cells.
      public init(_ name: String, _ usage: Usage = .generic, _ values: Values) {
        self.name = name
        self.usage = usage
        self.values = values
      }
    }

    /// The columns; those shorter than the longest end in empty cells.
    public var columns: [Column]

    /// A table of its columns.
    public init(columns: [Column]) { self.columns = columns }
  }

  /// What goes into `<path>.aux.xml`, by band.
  struct Sidecar {
    var nodata: [Int: Nodata] = [:]
    var categories: [Int: [String]] = [:]
    var tables: [Int: AttributeTable] = [:]

    var isEmpty: Bool { nodata.isEmpty && categories.isEmpty && tables.isEmpty }
  }

  /// Sets the names of the values 0, 1, 2 and so on. They are written by `close()`, into the
  /// sidecar.
  public mutating func setCategoryNames(
    _ names: [String], band: Int = 1
  ) throws(GDALError) {
    _ = try handle(band: band)
    sidecar.categories[band] = names
  }

  /// Sets the attribute table. It is written by `close()`, into the sidecar, so it can hold counts
  /// of what was written.
  public mutating func setAttributeTable(
    _ table: AttributeTable, band: Int = 1
  ) throws(GDALError) {
    _ = try handle(band: band)
    sidecar.tables[band] = table
  }

  /// Writes `<path>.aux.xml`: GDAL does so for a file that is open for reading only.
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
      // GDAL warns that the bands differ, which is the aim here.
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
