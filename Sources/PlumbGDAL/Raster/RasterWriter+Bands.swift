import CGDAL
import PlumbCore

extension RasterWriter {
  /// The nodata value, in a type that represents it exactly.
  public enum Nodata: Sendable, Equatable {
    /// The nodata value of a raster of any type except `int64` and `uint64`.
    case double(Double)
    /// The nodata value of an `int64` raster, whose values a double may not represent exactly.
    case int64(Int64)
    /// The nodata value of a `uint64` raster.
    case uint64(UInt64)
  }

  /// A colour. Each component is from 0 to 255.
  public struct Color: Sendable, Hashable {
    /// The red component.
    public var red: UInt8
    /// The green component.
    public var green: UInt8
    /// The blue component.
    public var blue: UInt8
    /// The opacity, from 0 (transparent) to 255 (opaque).
    public var alpha: UInt8

    /// Creates a colour from its components; opaque by default.
    public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }

  /// Sets the nodata value of every band, in the file itself.
  public func setNodata(_ value: Nodata) throws(GDALError) {
    for band in 1...bandCount { try Self.set(value, on: try handle(band: band), for: self) }
  }

  /// Sets the nodata value of one band.
  ///
  /// A TIFF has one nodata value for all its bands. If there are several bands, the nodata value of
  /// a single band is written to the sidecar when the file is closed. The value in the sidecar
  /// overrides the value in the file.
  public mutating func setNodata(_ value: Nodata, band: Int) throws(GDALError) {
    let handle = try handle(band: band)
    if bandCount == 1 {
      try Self.set(value, on: handle, for: self)
    } else {
      sidecar.nodata[band] = value
    }
  }

  /// Sets the scale. The real value is the stored value times the scale plus the offset.
  public func setScale(_ scale: Double, band: Int = 1) throws(GDALError) {
    let handle = try handle(band: band)
    try check("cannot set the scale") { GDALSetRasterScale(handle, scale) }
  }

  /// Sets the offset in the unit of the real values. The real value is the stored value times the
  /// scale plus the offset.
  public func setOffset(_ offset: Double, band: Int = 1) throws(GDALError) {
    let handle = try handle(band: band)
    try check("cannot set the offset") { GDALSetRasterOffset(handle, offset) }
  }

  /// Sets the unit of the real values, such as `m`.
  public func setUnit(_ unit: String, band: Int = 1) throws(GDALError) {
    let handle = try handle(band: band)
    try check("cannot set the unit") { GDALSetRasterUnitType(handle, unit) }
  }

  /// Sets the band's name.
  public func setDescription(_ text: String, band: Int = 1) throws(GDALError) {
    GDALSetDescription(try handle(band: band), text)
  }

  /// Sets the colours of the values 0, 1, 2 and so on. Only `uint8` and `uint16` rasters support
  /// this.
  public func setColorTable(_ colors: [Color], band: Int = 1) throws(GDALError) {
    let handle = try handle(band: band)
    let table = GDALCreateColorTable(GPI_RGB)
    defer { GDALDestroyColorTable(table) }
    for (value, color) in colors.enumerated() {
      var entry = GDALColorEntry(
        c1: Int16(color.red), c2: Int16(color.green), c3: Int16(color.blue), c4: Int16(color.alpha))
      GDALSetColorEntry(table, Int32(value), &entry)
    }
    try check("cannot set the colour table") { GDALSetRasterColorTable(handle, table) }
  }

  /// Sets a metadata item of the dataset or of one band.
  ///
  /// - Parameters:
  ///   - key: the item's name.
  ///   - value: the item's value.
  ///   - domain: the metadata domain, such as `RPC` or `IMAGE_STRUCTURE`; nil for the default
  ///     domain.
  ///   - band: the band, from 1; nil for the dataset, which has items such as `AREA_OR_POINT` and
  ///     `NODATA_VALUES`.
  public func setMetadata(
    _ key: String, _ value: String, domain: String? = nil, band: Int? = nil
  ) throws(GDALError) {
    var object = try open()
    if let band { object = try handle(band: band) }
    try check("cannot set the metadata item \(key.printable)") {
      GDALSetMetadataItem(object, key, value, domain)
    }
  }

  static func set(
    _ value: Nodata, on band: GDALRasterBandH, for writer: borrowing RasterWriter
  ) throws(GDALError) {
    try writer.check("cannot set the nodata value") {
      switch value {
      case .double(let value): GDALSetRasterNoDataValue(band, value)
      case .int64(let value): GDALSetRasterNoDataValueAsInt64(band, value)
      case .uint64(let value): GDALSetRasterNoDataValueAsUInt64(band, value)
      }
    }
  }
}
