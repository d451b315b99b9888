import CGDAL
import PlumbCore

/// A vector format that OGR can write.
public struct VectorDriver: Sendable, Hashable {
  /// OGR's short name, for example `GPKG`.
  public let name: String
  /// The file name extensions without a dot, in lower case. The most common extension is the first.
  public let extensions: [String]

  /// All formats that can be written as files, in byte order of their names.
  public static let all: [VectorDriver] = {
    GDALLibrary.start()
    return (0..<GDALGetDriverCount()).compactMap { index in
      guard let handle = GDALGetDriver(index) else { return nil }
      let item = { (key: String) in
        GDALGetMetadataItem(handle, key, nil).map { String(cString: $0) }
      }
      // A driver that does not support virtual files writes to a database or a service.
      guard item("DCAP_VECTOR") == "YES", item(GDAL_DCAP_CREATE) == "YES",
        item("DCAP_VIRTUALIO") == "YES" || item(GDAL_DMD_EXTENSION) != nil,
        let name = GDALGetDriverShortName(handle)
      else { return nil }
      var extensions: [String] = []
      let list = [item(GDAL_DMD_EXTENSION), item(GDAL_DMD_EXTENSIONS)].compactMap { $0 }
      for text in list.flatMap({ $0.split(separator: " ") }).map({ $0.lowercased() })
      where !extensions.contains(text) {
        extensions.append(text)
      }
      return VectorDriver(name: String(cString: name), extensions: extensions)
    }.sorted { $0.name < $1.name }
  }()

  /// The format with a short name, ignoring case; nil if OGR cannot write it.
  public static func named(_ name: String) -> VectorDriver? {
    all.first { $0.name.lowercased() == name.lowercased() }
  }

  /// The format for a file name extension without its dot, ignoring case; nil if no format has it.
  ///
  /// If several formats have the extension, the format whose name equals the extension is returned
  /// (`KML` before `LIBKML`). Otherwise, a format whose first extension matches is returned. If
  /// there is none, the first format by name is returned.
  public static func forExtension(_ text: String) -> VectorDriver? {
    let text = text.lowercased()
    let drivers = all.filter { $0.extensions.contains(text) }
    return drivers.first { $0.name.lowercased() == text }
      ?? drivers.first { $0.extensions.first == text } ?? drivers.first
  }

  /// The driver's handle, or an error that names the format.
  func handle() throws(GDALError) -> GDALDriverH {
    guard let handle = GDALGetDriverByName(name) else {
      throw GDALError("GDAL cannot write the format \"\(name.printable)\"")
    }
    return handle
  }
}
