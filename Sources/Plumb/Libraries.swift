import PlumbCore
import PlumbGDAL
import PlumbIO

/// The version of the library, its command and its C interface.
package let plumbVersion: StaticString = "0.1.0"

/// What ends a crash inside a library that reads a format.
public enum LibraryFaults {
  /// From here on a crash inside one is a line that names the file, and exit status 1.
  public static func handle() { LibraryFault.handle() }
}

/// Helper processes, in which GDAL opens and reads most formats.
public enum ReadingHelpers {
  /// Lets this program be a helper, which it is when it is started with one argument of its own: it then
  /// answers requests and ends. To be called first of all.
  ///
  /// Without this, a program has `plumb-reader` as its helper, beside it or its library.
  ///
  /// - Parameter arguments: the program's, its name first.
  public static func runOrOffer(_ arguments: [String]) { HelperService.runOrOffer(arguments) }

  /// From here on all formats are read there but GeoTIFF, virtual rasters and tables of listed formats,
  /// GeoPackage, FlatGeobuf, Shapefile, GeoJSON and CSV.
  public static func isolateAll() { HelperService.isolateAll() }
}

/// What GDAL had to say that was not an error.
public enum GDALMessages {
  /// The warnings that GDAL and the libraries under it have given since the last call, one line
  /// each, for the user; the first 20, which are forgotten with the call.
  public static func take() -> [String] { GDALLibrary.takeWarnings() }

  /// Names the encoding of text in tables, Shapefiles and DXF files, for the whole process.
  ///
  /// - Throws: when it is not one that GDAL knows.
  public static func setTextEncoding(_ name: String) throws(PlumbError) {
    do throws(GDALError) {
      try GDALLibrary.setTextEncoding(name)
    } catch {
      throw PlumbError(error.message)
    }
  }
}
