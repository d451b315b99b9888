import CGDAL
import PlumbCore
import PlumbRaster

extension RasterHandle {
  /// - Parameter hasSignedBytes: whether bytes that GDAL reads as unsigned are signed.
  func describeBand(_ index: Int, hasSignedBytes: Bool, path: String) throws(GDALError) -> Band {
    guard let band = band(index), var type = PixelType(band: band) else {
      throw GDALError("\(path.printable): band \(index + 1) has an unknown pixel type")
    }
    if hasSignedBytes, type == .uint8 { type = .int8 }
    var hasScale: Int32 = 0
    var hasOffset: Int32 = 0
    let scale = GDALGetRasterScale(band, &hasScale)
    let offset = GDALGetRasterOffset(band, &hasOffset)
    let colors = Self.colorTable(of: band)
    return Band(
      pixelType: type,
      validity: validity(of: band, type: type),
      scale: hasScale != 0 ? scale : 1,
      offset: hasOffset != 0 ? offset : 0,
      unit: LazyText { self.unit(ofBand: index) },
      name: GDALGetDescription(band).map { String(cString: $0) } ?? "",
      colorInterpretation: GDALGetColorInterpretationName(GDALGetRasterColorInterpretation(band))
        .map { String(cString: $0) } ?? "",
      classes: attributeTable(of: band) ?? categoryNames(of: band) ?? Self.classes(colors),
      colors: colors)
  }

  /// Whether a band of a NetCDF file has a range of valid values.
  func hasRange(_ band: Int) -> Bool {
    guard driverName == "netCDF", let band = self.band(band) else { return false }
    return ["valid_range", "valid_min", "valid_max"].contains { item($0, nil, of: band) != nil }
  }

  private func unit(ofBand index: Int) -> String? {
    locked {
      guard let band = band(index) else { return nil }
      // The unit of a GRIB message, such as [C], is a metadata item. In edition 1, GDAL converts
      // only the name of the unit from kelvins to degrees Celsius.
      if driverName == "GRIB", let unit = item("GRIB_UNIT", nil, of: band),
        let path = descriptionPath,
        GRIBMessages.first(path: path)?.edition == 2
      {
        return String(unit.trimmingPrefix("[").prefix { $0 != "]" })
      }
      return GDALGetRasterUnitType(band).map { String(cString: $0) }
    }
  }

  private func validity(of band: UnsafeMutableRawPointer, type: PixelType) -> Validity {
    let flags = Int(GDALGetMaskFlags(band))
    let isPerDataset = flags & Int(GMF_PER_DATASET) != 0
    if flags & Int(GMF_NODATA) != 0, isPerDataset { return .mask(meansNoData: true) }
    if flags & Int(GMF_ALPHA) != 0 { return .alpha(band: bandCount - 1) }
    if flags & Int(GMF_NODATA) != 0 || type == .int8 {
      // GDAL 3.6 treats the negative nodata value of a signed byte as out of range.
      return noData(of: band, type: type).map { .noData($0) } ?? .all
    }
    if flags & Int(GMF_ALL_VALID) != 0 { return .all }
    return .mask(meansNoData: false)
  }

  private func noData(of band: UnsafeMutableRawPointer, type: PixelType) -> NoData? {
    var hasValue: Int32 = 0
    switch type {
    case .int64:
      let value = GDALGetRasterNoDataValueAsInt64(band, &hasValue)
      return hasValue != 0 ? .integer(value) : nil
    case .uint64:
      let value = GDALGetRasterNoDataValueAsUInt64(band, &hasValue)
      return hasValue != 0 ? .unsigned(value) : nil
    default:
      let value = GDALGetRasterNoDataValue(band, &hasValue)
      return hasValue != 0 ? .real(value) : nil
    }
  }

  private func categoryNames(of band: UnsafeMutableRawPointer) -> ClassTable? {
    let names = strings(GDALGetRasterCategoryNames(band))
    guard !names.isEmpty else { return nil }
    return ClassTable(
      entries: names.enumerated().compactMap { index, name in
        name.isEmpty
          ? nil : ClassTable.Entry(lower: Double(index), upper: Double(index), name: name)
      })
  }

  /// The colours of a colour table for the values from 0; empty if the band has no table, or if the
  /// table is not RGB.
  private static func colorTable(of band: UnsafeMutableRawPointer) -> [Color] {
    guard let table = GDALGetRasterColorTable(band) else { return [] }
    return (0..<max(0, GDALGetColorEntryCount(table))).compactMap { index in
      var entry = GDALColorEntry()
      guard GDALGetColorEntryAsRGB(table, index, &entry) != 0 else { return nil }
      return Color(
        UInt8(clamping: Int(entry.c1)), UInt8(clamping: Int(entry.c2)),
        UInt8(clamping: Int(entry.c3)), alpha: UInt8(clamping: Int(entry.c4)))
    }
  }

  /// Classes that are named by their colours, as `#rrggbb`. Two digits for the opacity follow if it
  /// is not full.
  private static func classes(_ colors: [Color]) -> ClassTable? {
    guard !colors.isEmpty else { return nil }
    return ClassTable(
      entries: colors.enumerated().map { index, color in
        let solid = [color.red, color.green, color.blue]
        let parts = solid + (color.alpha == 255 ? [] : [color.alpha])
        let digits = parts.map { part in
          let text = String(part, radix: 16)
          return text.count == 1 ? "0" + text : text
        }
        return ClassTable.Entry(
          lower: Double(index), upper: Double(index), name: "#" + digits.joined())
      })
  }

  private func attributeTable(of band: UnsafeMutableRawPointer) -> ClassTable? {
    guard let table = GDALGetDefaultRAT(band) else { return nil }
    let columns = 0..<max(0, GDALRATGetColumnCount(table))
    let names = columns.map {
      GDALRATGetNameOfCol(table, $0).map { String(cString: $0).lowercased() } ?? ""
    }
    func usage(_ kind: GDALRATFieldUsage) -> Int32? {
      columns.first { GDALRATGetUsageOfCol(table, $0) == kind }
    }
    guard
      let name = usage(GFU_Name)
        ?? columns.first(where: { GDALRATGetTypeOfCol(table, $0) == GFT_String })
    else { return nil }
    let value =
      usage(GFU_MinMax) ?? names.firstIndex(of: "value").map { Int32($0) }
    let (lower, upper) = (value ?? usage(GFU_Min), value ?? usage(GFU_Max))
    var origin = 0.0
    var size = 0.0
    let isLinear = GDALRATGetLinearBinning(table, &origin, &size) != 0
    let rows = min(max(0, GDALRATGetRowCount(table)), 1 << 20)
    let entries = (0..<rows).compactMap { row -> ClassTable.Entry? in
      guard let text = GDALRATGetValueAsString(table, row, name).map({ String(cString: $0) }),
        !text.isEmpty
      else { return nil }
      let bounds: (Double, Double)
      if let lower, let upper {
        bounds = (
          GDALRATGetValueAsDouble(table, row, lower), GDALRATGetValueAsDouble(table, row, upper)
        )
      } else if isLinear {
        let start = origin + Double(row) * size
        bounds = (start, (start + size).nextDown)
      } else {
        bounds = (Double(row), Double(row))
      }
      return ClassTable.Entry(lower: bounds.0, upper: bounds.1, name: text)
    }
    return entries.isEmpty ? nil : ClassTable(entries: entries)
  }

  /// The attribute table that Esri's software stores next to a class raster: `<path>.vat.dbf`.
  func classTableBeside(_ path: String) -> ClassTable? {
    let sidecar = (remote?.gdalName ?? path) + ".vat.dbf"
    guard let probe = VSIFOpenL(sidecar, "rb") else { return nil }
    VSIFCloseL(probe)
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY)
    // Only the Shapefile driver is allowed. The name indicates a table, but the file could be a
    // virtual source that refers to any other file.
    guard
      let dataset = withNames(["ESRI Shapefile"], { GDALOpenEx(sidecar, flags, $0, nil, nil) })
    else { return nil }
    defer { GDALClose(dataset) }
    guard let layer = GDALDatasetGetLayer(dataset, 0),
      let definition = OGR_L_GetLayerDefn(layer)
    else { return nil }
    var value: Int32?
    var name: Int32?
    for field in 0..<OGR_FD_GetFieldCount(definition) {
      guard let column = OGR_FD_GetFieldDefn(definition, field) else { continue }
      let title = OGR_Fld_GetNameRef(column).map { String(cString: $0).lowercased() } ?? ""
      if title == "value" { value = field }
      if name == nil, OGR_Fld_GetType(column) == OFTString { name = field }
    }
    guard let value, let name else { return nil }
    var entries: [ClassTable.Entry] = []
    while entries.count < 1 << 20, let feature = OGR_L_GetNextFeature(layer) {
      defer { OGR_F_Destroy(feature) }
      let number = OGR_F_GetFieldAsDouble(feature, value)
      guard let text = OGR_F_GetFieldAsString(feature, name) else { continue }
      entries.append(
        ClassTable.Entry(lower: number, upper: number, name: String(cString: text)))
    }
    return entries.isEmpty ? nil : ClassTable(entries: entries)
  }
}
