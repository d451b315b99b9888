import PlumbCore
import PlumbRaster

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The profile of a GeoTIFF whose tags alone give exactly the same profile as GDAL.
///
/// A supported file has cells of one type, in grey or in red, green and blue. It is georeferenced
/// by a pixel size and one tiepoint, or by a matrix, and may have a nodata value, scale, offset,
/// unit and description. GDAL reads files with other content that it might interpret or correct:
/// masks, alpha, palettes, control points, heights and unknown tags.
package struct PlainTIFF {
  /// The grid as a single tile; the actual tiles are in `TIFFLayout`.
  let grid: TileGrid
  let transform: GridTransform
  let bands: [Band]
  /// The GeoTIFF keys.
  package let geoKeys: GeoKeys
  /// Whether the file has overviews.
  package let hasOverviews: Bool

  /// - Parameter path: a local file.
  /// - Returns: nil for a file that has to be read by GDAL.
  package init?(path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(size: Int(facts.st_size)) { Self.bytes(of: file, $0, $1) }
  }

  /// - Parameters:
  ///   - size: the size of the file in bytes.
  ///   - bytes: a function that reads a number of bytes at a position within the file; nil if the file has
  ///     fewer bytes.
  package init?(size: Int, bytes: @escaping (_ count: Int, _ position: Int) -> [UInt8]?) {
    let read: TIFFDirectory.Read<Never> = { count, position in
      guard count <= size, position <= size - count else { return nil }
      return bytes(count, position)
    }
    guard let (position, order) = TIFFDirectory.first(read),
      let directory = TIFFDirectory(at: position, order, size: size, read),
      directory.isComplete, directory.entries.keys.allSatisfy(Self.isKnown),
      Self.hasOverviewsAlone(after: directory, size: size, read)
    else { return nil }
    self.init(directory, read)
  }

  private static func bytes(of file: Int32, _ count: Int, _ position: Int) -> [UInt8]? {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let got = pread(file, buffer.baseAddress! + done, count - done, off_t(position + done))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { return }
        done += got
      }
    }.full(count)
  }

  private init?(_ directory: TIFFDirectory, _ read: TIFFDirectory.Read<Never>) {
    hasOverviews = directory.next != 0
    /// The value of a tag with one number, or with equal numbers for all samples; nil if the tag
    /// has other values.
    func number(_ tag: Int, default fallback: Int? = nil) -> Int? {
      guard directory.entries[tag] != nil else { return fallback }
      guard let values = directory.integers(tag, read), let first = values.first,
        values.allSatisfy({ $0 == first })
      else { return nil }
      return first
    }
    guard let width = number(256), let height = number(257), width > 0, height > 0,
      width <= Int(Int32.max), height <= Int(Int32.max),
      let samples = number(277, default: 1), (1...65535).contains(samples),
      let bits = number(258), let format = number(339, default: 1), format != 4,
      let type = TIFFLayout.pixelType(bits: bits, format: format),
      number(254, default: 0) == 0, number(266, default: 1) == 1, number(274, default: 1) == 1,
      let colors = Self.colors(
        photometric: number(262), samples,
        directory.entries[338] == nil
          ? [] : directory.integers(338, read)),
      Self.needsNoProgramRule(directory, read), let geoKeys = GeoKeys(directory, read),
      let transform = Self.transform(directory, geoKeys, read),
      let items = BandItems(directory, samples: samples, read),
      let validity = Self.validity(directory, type, read)
    else { return nil }
    grid = TileGrid(width: width, height: height, tileWidth: width, tileHeight: height)
    self.transform = transform
    self.geoKeys = geoKeys
    bands = (0..<samples).map { index in
      let item = items[index]
      return Band(
        pixelType: type, validity: validity, scale: item.scale ?? 1, offset: item.offset ?? 0,
        unit: LazyText(item.unit ?? ""), name: item.name ?? "", colorInterpretation: colors[index])
    }
  }

  /// The raster's profile, with the grid as a single tile; the actual tiles are in `TIFFLayout`.
  ///
  /// - Parameters:
  ///   - reference: the CRS that the GeoTIFF keys define.
  ///   - period: the period of x in this CRS, if any.
  package func profile(reference: LazyText, period: LazyValue<Double?>) -> RasterProfile {
    RasterProfile(
      grid: grid, mapping: .affine(transform), lazyReference: reference, lazyPeriod: period,
      bands: bands, isInterleaved: false)
  }

  // MARK: Tags

  /// Whether GDAL has no special rule for files of the program that wrote this file. For example,
  /// GDAL reads the images of ImageJ files as bands, and corrects some files of Imagine.
  private static func needsNoProgramRule(
    _ directory: TIFFDirectory, _ read: TIFFDirectory.Read<Never>
  ) -> Bool {
    for tag in [270, 305] where directory.entries[tag] != nil {
      guard let text = directory.text(tag, read), !text.hasPrefix("ImageJ"),
        !text.hasPrefix("IMAGINE")
      else { return false }
    }
    return true
  }

  /// Whether a tag is read by this type, or does not affect cells: descriptions, dates, print resolutions,
  /// XMP.
  private static func isKnown(_ tag: Int) -> Bool {
    switch tag {
    case 254, 256...259, 262, 266, 269...274, 277...284, 285, 296, 297, 305, 306, 315...317,
      322...325, 338, 339, 700, 33432, 33550, 33922, 34264, 34735...34737, 42112, 42113:
      true
    default: false
    }
  }

  /// Whether the file's other images are only overviews of the first one, so that there is neither a mask nor
  /// another page.
  private static func hasOverviewsAlone(
    after directory: TIFFDirectory, size: Int, _ read: TIFFDirectory.Read<Never>
  ) -> Bool {
    var next = directory.next
    for _ in 0..<64 {
      if next == 0 { return true }
      guard let other = TIFFDirectory(at: next, directory.order, size: size, read),
        other.integers(254, read) == [1]
      else { return false }
      next = other.next
    }
    return false
  }

  /// The colour interpretations of the bands, as in GDAL.
  ///
  /// - Parameters:
  ///   - photometric: the photometric interpretation of the file.
  ///   - extra: the meaning of samples beyond the colours; empty if the file has none.
  /// - Returns: nil if a band may be an alpha band, or needs a palette.
  private static func colors(photometric: Int?, _ samples: Int, _ extra: [Int]?) -> [String]? {
    let names: [String]
    switch photometric {
    case 1: names = ["Gray"]
    case 2: names = ["Red", "Green", "Blue"]
    default: return nil
    }
    guard let extra, samples >= names.count, extra.count == samples - names.count,
      extra.allSatisfy({ $0 == 0 })
    else { return nil }
    return names + extra.map { _ in "Undefined" }
  }

  // MARK: Location

  private static func transform(
    _ directory: TIFFDirectory, _ keys: GeoKeys, _ read: TIFFDirectory.Read<Never>
  ) -> GridTransform? {
    let entries = directory.entries
    var six: [Double]
    if entries[33550] != nil {
      guard entries[34264] == nil, let size = directory.reals(33550, read),
        (2...3).contains(size.count),
        let point = directory.reals(33922, read), point.count == 6,
        size[0] > 0, size[1] > 0, size.count < 3 || size[2] == 0 || size[2] == 1, point[2] == 0,
        point[5] == 0
      else { return nil }
      six = [0, size[0], 0, 0, 0, -size[1]]
      six[0] = point[3] - point[0] * six[1]
      six[3] = point[4] - point[1] * six[5]
    } else {
      guard entries[33922] == nil, let matrix = directory.reals(34264, read), matrix.count == 16
      else { return nil }
      six = [matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]]
    }
    if keys.isPixelPoint {
      six[0] -= six[1] * 0.5 + six[2] * 0.5
      six[3] -= six[4] * 0.5 + six[5] * 0.5
    }
    guard six.allSatisfy(\.isFinite), six != GridTransform.identity.coefficients else { return nil }
    return GridTransform(coefficients: six)
  }

  // MARK: Nodata

  /// The validity of cells.
  ///
  /// - Returns: nil if the nodata value is not a plain number.
  private static func validity(
    _ directory: TIFFDirectory, _ type: PixelType, _ read: TIFFDirectory.Read<Never>
  ) -> Validity? {
    guard directory.entries[42113] != nil else { return .all }
    guard !type.isComplex, let text = directory.text(42113, limit: 256, read) else { return nil }
    switch type {
    case .int64: return Int64(text).map { .noData(.integer($0)) }
    case .uint64: return UInt64(text).map { .noData(.unsigned($0)) }
    case .int8: return nil
    default: break
    }
    guard text == "nan" || text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }),
      let value = Double(text), text == "nan" || value.isFinite
    else { return nil }
    switch type {
    case .float32:
      // A value that is nearly the largest float means exactly the largest float, written with fewer digits.
      let greatest = Double(Float.greatestFiniteMagnitude)
      for limit in [greatest, -greatest] where (value - limit).magnitude < 1e-10 * greatest {
        return .noData(.real(limit))
      }
      return .noData(.real(Double(Float(value))))
    case .float64: return .noData(.real(value))
    // GDAL 3.6 keeps a nodata value that exceeds 16 bits but fits in 32 bits, so GDAL reads such a
    // file.
    case .uint16 where value > 65535: return nil
    default: return type.holds(value) ? .noData(.real(value)) : .all
    }
  }
}

extension [UInt8] {
  fileprivate func full(_ count: Int) -> [UInt8]? { self.count == count ? self : nil }
}

extension PixelType {
  /// Whether a number is within the range of an integer type.
  fileprivate func holds(_ value: Double) -> Bool {
    switch self {
    case .uint8: (0...255).contains(value)
    case .int8: (-128...127).contains(value)
    case .uint16: (0...65535).contains(value)
    case .int16: (-32768...32767).contains(value)
    case .uint32: (0...4_294_967_295).contains(value)
    case .int32: (-2_147_483_648...2_147_483_647).contains(value)
    default: false
    }
  }
}
