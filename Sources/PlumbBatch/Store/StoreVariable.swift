import PlumbCore
import PlumbFormats
import PlumbRaster
import PlumbSources

/// A stack that becomes a variable of a store.
struct StoreVariable: Sendable {
  /// The band of a file that contains the values of a date.
  struct Layer: Sendable {
    var source: any TileSource
    var band: Int
    /// The index of the file among the files of the stack.
    var file: UInt32
  }

  let name: String
  /// The layers by ascending date.
  let layers: [Layer]
  /// The type of the values in the files.
  let sourceType: PixelType
  /// The nodata value of the files; nil if they have none, or if the type cannot represent it.
  let noData: ZarrArray.Fill?
  /// Whether some cells are masked.
  let hasMasks: Bool
  /// The factor and the offset of the files.
  let scale: Double
  let offset: Double
  /// Whether values are stored with scale and offset applied.
  let isScaled: Bool
  let unit: String

  /// The names of the other arrays of a store.
  private static let reserved: Set<String> = ["time", "y", "x", "lat", "lon", "crs"]

  /// - Throws: if the files differ, if a date has several files, and for values that cannot be stored.
  init(_ stack: DatedStack, isScaled: Bool) throws {
    name = stack.name
    guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"), !name.utf8.contains(0),
      !Self.reserved.contains(name)
    else {
      throw PlumbError(
        "\(name.printable) cannot be the name of a variable; name the stack, as in evi=FILES")
    }
    var layers: [Layer] = []
    for slice in stack.slices {
      guard slice.members.count == 1, let file = slice.members.first else {
        throw PlumbError(
          "\(name.printable) has \(slice.members.count) files on \(slice.date.text): a store has one file for each "
            + "date", code: .unsupported)
      }
      let source = stack.raster.members[file]
      layers.append(
        Layer(source: source, band: try Self.band(slice.band, of: source), file: UInt32(file)))
    }
    guard let first = layers.first else { throw PlumbError("\(name.printable) has no dates") }
    let band = first.source.profile.bands[first.band]
    guard ZarrArray.supports(band.pixelType) else {
      throw PlumbError(
        "\(first.source.path.printable) has values of the type \(band.pixelType.name), which a store cannot have",
        code: .unsupported)
    }
    (self.layers, sourceType, scale, offset) = (layers, band.pixelType, band.scale, band.offset)
    (self.isScaled, unit) = (isScaled, band.unit)
    noData = Self.noData(band)
    hasMasks = try Self.check(layers)
    guard type.isFloatingPoint || !hasMasks else {
      throw PlumbError(
        messageTemplate:
          "\(name.printable) has a mask but no nodata value, so no value of the type "
          + "\(sourceType.name) can mark its masked cells", code: .unsupported,
        remedies: ["\(.scaled) stores them as NaN"])
    }
  }

  /// - Parameter dated: the band with the date; nil if the file has one date.
  private static func band(_ dated: Int?, of file: any TileSource) throws(PlumbError) -> Int {
    if let dated { return dated }
    let bands = file.profile.bands
    var values = Set(bands.indices)
    for case .alpha(let alpha) in bands.lazy.map(\.validity) { values.remove(alpha) }
    guard values.count == 1, let band = values.first else {
      throw PlumbError(
        "\(file.path.printable) has \(bands.count) bands; a store has one band for each date",
        code: .unsupported)
    }
    return band
  }

  /// The nodata value of a band; nil if there is none, or if the type cannot represent it.
  private static func noData(_ band: Band) -> ZarrArray.Fill? {
    guard case .noData(let value) = band.validity else { return nil }
    let range: ClosedRange<Int64>
    switch band.pixelType {
    case .uint8: range = 0...255
    case .int8: range = -128...127
    case .uint16: range = 0...65_535
    case .int16: range = -32_768...32_767
    case .uint32: range = 0...Int64(UInt32.max)
    case .int32: range = Int64(Int32.min)...Int64(Int32.max)
    case .int64: range = Int64.min...Int64.max
    case .uint64:
      switch value {
      case .unsigned(let number): return .unsigned(number)
      case .integer(let number): return UInt64(exactly: number).map { .unsigned($0) }
      case .real(let number):
        return number.isFinite
          ? UInt64(exactly: number.rounded(.towardZero)).map { .unsigned($0) } : nil
      }
    default:
      guard case .real(let number) = value else { return nil }
      return .real(band.pixelType == .float32 ? Double(Float(number)) : number)
    }
    switch value {
    case .integer(let number): return range.contains(number) ? .integer(number) : nil
    case .unsigned(let number):
      return Int64(exactly: number).flatMap { range.contains($0) ? .integer($0) : nil }
    // A fraction is truncated, as it is when files are read.
    case .real(let number):
      guard number.isFinite, let whole = Int64(exactly: number.rounded(.towardZero)) else {
        return nil
      }
      return range.contains(whole) ? .integer(whole) : nil
    }
  }

  /// Checks that files have the same type, nodata value, scale and offset.
  ///
  /// - Returns: whether files have masks.
  private static func check(_ layers: [Layer]) throws(PlumbError) -> Bool {
    guard let first = layers.first else { return false }
    let known = first.source.profile.bands[first.band]
    var hasMasks = false
    for layer in layers {
      let band = layer.source.profile.bands[layer.band]
      var difference: String?
      if band.pixelType != known.pixelType {
        difference = "values of the types \(band.pixelType.name) and \(known.pixelType.name)"
      } else if noData(band)?.json != noData(known)?.json {
        difference =
          "nodata values \(noData(band)?.json ?? "none") and \(noData(known)?.json ?? "none")"
      } else if band.scale != known.scale || band.offset != known.offset {
        difference = "different scales or offsets"
      }
      if let difference {
        throw PlumbError(
          "\(layer.source.path.printable) and \(first.source.path.printable) have \(difference); files of a variable "
            + "have the same", code: .unsupported)
      }
      switch band.validity {
      case .all, .noData: break
      case .alpha, .mask: hasMasks = true
      }
    }
    return hasMasks
  }

  // MARK: Stored values

  /// The type of the stored values. 32-bit floats represent small scaled integers with seven
  /// digits.
  var type: PixelType {
    guard isScaled else { return sourceType }
    switch sourceType {
    case .uint8, .int8, .uint16, .int16, .float32: return .float32
    default: return .float64
    }
  }

  /// The value of cells without data; nil if all values are data.
  var fill: ZarrArray.Fill? {
    if isScaled { return .real(.nan) }
    return noData ?? (type.isFloatingPoint ? .real(.nan) : nil)
  }
}
