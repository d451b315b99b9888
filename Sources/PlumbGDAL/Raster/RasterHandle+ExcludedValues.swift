import CGDAL
import PlumbCore
import PlumbRaster

extension RasterHandle {
  /// Sets the values that an array's attributes exclude in addition to the nodata value that GDAL
  /// returns, which is either `_FillValue` or the first `missing_value`.
  ///
  /// - Throws: if values of the type cannot be excluded.
  func setExcludedValues(
    of bands: inout [Band], _ array: FileArray, path: String
  ) throws(GDALError) {
    // GDAL ignores `_Unsigned` for 32-bit and 64-bit integers, and reads the values as signed.
    if array.text("_Unsigned")?.lowercased() == "true",
      let index = bands.firstIndex(where: { [.int32, .int64].contains($0.pixelType) })
    {
      throw GDALError(
        "\(path.printable): GDAL does not read the unsigned values of band \(index + 1), of type "
          + bands[index].pixelType.name, code: .unsupported)
    }
    let attributes = ValueAttributes(array, isNetCDF: driverName == "netCDF")
    if attributes.isTextAlone {
      // GDAL converts even text that is not a number to a nodata value.
      for index in bands.indices where bands[index].validity.isNoData {
        bands[index].validity = .all
      }
    }
    guard !attributes.isEmpty else { return }
    var known: [Content: ExcludedValues?] = [:]
    for index in bands.indices where !bands[index].pixelType.isComplex {
      let content = Content(type: bands[index].pixelType, validity: bands[index].validity)
      let excluded: ExcludedValues?
      if let found = known[content] {
        excluded = found
      } else {
        do {
          excluded = try attributes.excluded(content)
        } catch {
          throw GDALError(
            "\(path.printable): the missing values or the valid range of band \(index + 1), of type "
              + "\(content.type.name), cannot be applied", code: .unsupported)
        }
        known[content] = excluded
      }
      guard let excluded else { continue }
      bands[index].excluded = excluded
      bands[index].validity = .noData(excluded.noData)
    }
  }
}

extension Validity {
  fileprivate var isNoData: Bool { if case .noData = self { true } else { false } }
}

/// The type of a band and the rule for its valid cells.
private struct Content: Hashable {
  var type: PixelType
  var validity: Validity

  /// The nodata value as a double; nil if there is none.
  var noData: Double? {
    guard case .noData(let value) = validity else { return nil }
    switch value {
    case .real(let number): return number
    case .integer(let number): return Double(number)
    case .unsigned(let number): return Double(number)
    }
  }
}

/// The attributes of an array that exclude values according to the CF conventions.
private struct ValueAttributes {
  private var missing: [Double]
  private var minimum: Double?
  private var maximum: Double?
  private var usesDefaultFill: Bool
  /// Whether unsigned values are stored as signed integers (`_Unsigned`).
  private var isUnsigned: Bool
  /// Whether the only missing value is text that is not a number.
  private(set) var isTextAlone = false

  struct Unsupported: Error {}

  init(_ array: FileArray, isNetCDF: Bool) {
    let fill = array.numbers("_FillValue")
    var others = array.numbers("missing_value")
    if others.isEmpty, let text = array.text("missing_value") {
      let digits = text.utf8.filter { $0 > 0x20 }
      if let number = Double(String(decoding: digits, as: UTF8.self)) {
        others = [number]
      } else {
        isTextAlone = fill.isEmpty
      }
    }
    let range = array.numbers("valid_range")
    missing = fill + others
    minimum = range.count == 2 ? range[0] : array.numbers("valid_min").first
    maximum = range.count == 2 ? range[1] : array.numbers("valid_max").first
    usesDefaultFill = isNetCDF && fill.isEmpty && (!others.isEmpty || isTextAlone)
    isUnsigned = array.text("_Unsigned")?.lowercased() == "true"
  }

  var isEmpty: Bool {
    missing.isEmpty && minimum == nil && maximum == nil && !isTextAlone
  }

  func excluded(_ content: Content) throws(Unsupported) -> ExcludedValues? {
    let type = content.type
    let stored = { (value: Double) in Self.stored(value, as: type) }
    var values = missing.map(stored)
    if usesDefaultFill, let fill = Self.defaultFill(type, isUnsigned: isUnsigned) {
      values.append(fill)
    }
    let isPlain =
      switch content.validity {
      case .all, .noData: type != .int64 && type != .uint64
      case .alpha, .mask: false
      }
    guard isPlain else {
      let isWithout = values.allSatisfy { $0 == content.noData || $0.isNaN }
      guard isWithout, minimum == nil, maximum == nil else { throw Unsupported() }
      return nil
    }
    return ExcludedValues(
      type, values: values, minimum: minimum.map(stored), maximum: maximum.map(stored),
      noData: content.noData)
  }

  /// Converts the value of an attribute to the type of the array's values. In files without unsigned types,
  /// attributes of unsigned values may be negative.
  private static func stored(_ value: Double, as type: PixelType) -> Double {
    guard value < 0 else { return value }
    switch type {
    case .uint8: return value + 0x1p8
    case .uint16: return value + 0x1p16
    case .uint32: return value + 0x1p32
    default: return value
    }
  }

  /// The value of cells that were never written to a NetCDF file without `_FillValue`.
  ///
  /// - Parameter isUnsigned: whether unsigned values are stored as signed integers.
  private static func defaultFill(_ type: PixelType, isUnsigned: Bool) -> Double? {
    switch type {
    case .int16: -32_767
    case .uint16: isUnsigned ? stored(-32_767, as: type) : 65_535
    case .int32: -2_147_483_647
    case .uint32: 4_294_967_295
    case .float32, .float64: 0x1.ep122
    default: nil
    }
  }
}
