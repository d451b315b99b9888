import CGDAL
import Plumb
import PlumbGDAL

/// GDAL's reading of single cells: a 1 x 1 read in the native type, and one of the mask band.
/// Plumb's code is not used. Only one thread may use an instance.
final class OracleRaster {
  /// One cell of one band.
  struct Cell {
    var status: SampleStatus
    /// The value's bytes in native order, padded with zeros.
    var bits: (UInt64, UInt64) = (0, 0)
  }

  let dataset: UnsafeMutableRawPointer
  let width: Int
  let height: Int
  let types: [PixelType]
  private let handles: [UnsafeMutableRawPointer]
  private let masks: [UnsafeMutableRawPointer]
  private let meansNoData: [Bool]
  /// The nodata value of signed bytes, which GDAL 3.6 treats as unsigned: a negative value is out
  /// of range there and masks nothing. Plumb supports such values, so the expected results include
  /// them.
  private let signedNoData: [Int8?]
  private var transformer: UnsafeMutableRawPointer?

  /// - Returns: nil if GDAL does not open the path as a raster with bands.
  init?(path: String) {
    GDALLibrary.start()
    guard let dataset = GDALOpenEx(path, UInt32(GDAL_OF_RASTER), nil, nil, nil) else { return nil }
    self.dataset = dataset
    width = Int(GDALGetRasterXSize(dataset))
    height = Int(GDALGetRasterYSize(dataset))
    handles = (0..<max(0, GDALGetRasterCount(dataset))).compactMap {
      GDALGetRasterBand(dataset, $0 + 1)
    }
    masks = handles.compactMap { GDALGetMaskBand($0) }
    types = handles.compactMap { Self.type(of: $0) }
    meansNoData = handles.map { Int(GDALGetMaskFlags($0)) & Int(GMF_NODATA) != 0 }
    signedNoData = zip(handles, types).map { handle, type in
      var hasValue: Int32 = 0
      let value = GDALGetRasterNoDataValue(handle, &hasValue)
      return type == .int8 && hasValue != 0 ? Int8(exactly: value) : nil
    }
    if handles.isEmpty || masks.count != handles.count || types.count != handles.count {
      GDALClose(dataset)
      return nil
    }
  }

  deinit {
    if let transformer { GDALDestroyGenImgProjTransformer(transformer) }
    GDALClose(dataset)
  }

  private static func type(of band: UnsafeMutableRawPointer) -> PixelType? {
    let known: [(GDALDataType, PixelType)] = [
      (GDT_UInt16, .uint16), (GDT_Int16, .int16), (GDT_UInt32, .uint32), (GDT_Int32, .int32),
      (GDT_UInt64, .uint64), (GDT_Int64, .int64), (GDT_Float32, .float32),
      (GDT_Float64, .float64), (GDT_CInt16, .complexInt16), (GDT_CInt32, .complexInt32),
      (GDT_CFloat32, .complexFloat32), (GDT_CFloat64, .complexFloat64),
    ]
    let type = GDALGetRasterDataType(band)
    if plumb_gdal_is_int8(type) != 0 { return .int8 }
    if type == GDT_Byte {
      if plumb_gdal_has_int8() != 0 { return .uint8 }
      let kind = GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE")
      return kind.map { String(cString: $0) == "SIGNEDBYTE" } == true ? .int8 : .uint8
    }
    return known.first { $0.0 == type }?.1
  }

  func cell(band: Int, column: Int, row: Int) -> Cell {
    var cell = Cell(status: .ok)
    var mask: UInt8 = 0
    let (x, y) = (Int32(column), Int32(row))
    let read = withUnsafeMutableBytes(of: &cell.bits) { bits in
      GDALRasterIO(
        handles[band], GF_Read, x, y, 1, 1, bits.baseAddress, 1, 1,
        GDALGetRasterDataType(handles[band]), 0, 0)
    }
    let readMask = GDALRasterIO(masks[band], GF_Read, x, y, 1, 1, &mask, 1, 1, GDT_Byte, 0, 0)
    if plumb_gdal_ok(read) == 0 || plumb_gdal_ok(readMask) == 0 {
      cell.status = .readError
    } else if isNaN(cell, types[band]) {
      cell.status = .nodata
    } else if mask == 0 {
      cell.status = meansNoData[band] ? .nodata : .masked
    } else if let value = signedNoData[band],
      Int8(truncatingIfNeeded: cell.bits.0) == value
    {
      cell.status = .nodata
    }
    return cell
  }

  private func isNaN(_ cell: Cell, _ type: PixelType) -> Bool {
    let (low, high) = (cell.bits.0, cell.bits.1)
    func float(_ bits: UInt64) -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: bits)) }
    switch type {
    case .float32: return float(low).isNaN
    case .float64: return Double(bitPattern: low).isNaN
    case .complexFloat32: return float(low).isNaN || float(low >> 32).isNaN
    case .complexFloat64:
      return Double(bitPattern: low).isNaN || Double(bitPattern: high).isNaN
    default: return false
    }
  }

  /// GDAL's geotransform; nil for control points and similar mappings.
  lazy var geotransform: [Double]? = {
    let identity: [Double] = [0, 1, 0, 0, 0, 1]
    var values = identity
    let isKnown = plumb_gdal_ok(GDALGetGeoTransform(dataset, &values)) != 0
    if isKnown, values != identity { return values }
    let isMapped =
      GDALGetGCPCount(dataset) > 0 || GDALGetMetadata(dataset, "RPC") != nil
      || GDALGetMetadata(dataset, "GEOLOCATION") != nil
    return isMapped ? nil : identity
  }()

  /// The period of x: 360 for degrees; nil otherwise, and for control points.
  lazy var period: Double? = {
    guard let values = geotransform, values != [0, 1, 0, 0, 0, 1],
      let reference = GDALGetSpatialRef(dataset), OSRIsGeographic(reference) != 0
    else { return nil }
    return (2 * Double.pi / OSRGetAngularUnits(reference, nil) * 1e6).rounded() / 1e6
  }()

  /// The point at a grid position, according to GDAL.
  func point(column: Double, row: Double) -> (x: Double, y: Double)? {
    if var values = geotransform {
      var (x, y) = (0.0, 0.0)
      GDALApplyGeoTransform(&values, column, row, &x, &y)
      return (x, y)
    }
    return transform(column, row, toGrid: false)
  }

  /// The grid position of a point, by GDAL's transformer for control points and similar mappings.
  func transform(_ x: Double, _ y: Double, toGrid: Bool) -> (x: Double, y: Double)? {
    if transformer == nil {
      transformer = GDALCreateGenImgProjTransformer2(dataset, nil, nil)
    }
    guard let transformer else { return nil }
    var (x, y, z, success) = (x, y, 0.0, Int32(0))
    GDALGenImgProjTransform(transformer, toGrid ? 1 : 0, 1, &x, &y, &z, &success)
    return success != 0 && x.isFinite && y.isFinite ? (x, y) : nil
  }
}
