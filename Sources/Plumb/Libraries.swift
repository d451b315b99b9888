import PlumbCore
import PlumbGDAL
import PlumbIO

/// The version of the library, its command and its C interface.
package let plumbVersion: StaticString = "0.3.0"

/// The handler for crashes in the libraries that read formats, such as GDAL.
public enum LibraryFaults {
  /// Installs the handler. After this call, if a library crashes, the process prints a line that
  /// names the file, and exits with status 1.
  public static func handle() { LibraryFault.handle() }
}

/// Helper processes, in which GDAL opens and reads most formats.
public enum ReadingHelpers {
  /// Runs this program as a helper if it was started with the argument for helpers. In a helper,
  /// this function handles requests until the process exits, and does not return. It must be the
  /// first call of the program.
  ///
  /// A program that does not call this function uses `plumb-reader` as its helper. `plumb-reader`
  /// must then be in the folder of the program or of the library.
  ///
  /// - Parameter arguments: the program's arguments, starting with its name.
  public static func runOrOffer(_ arguments: [String]) { HelperService.runOrOffer(arguments) }

  /// After this call, helpers read local files of all formats, with two exceptions. The process itself
  /// reads GeoTIFF, GeoPackage, FlatGeobuf, Shapefile, GeoJSON and CSV. It also reads virtual rasters
  /// and tables (VRT) whose sources have only these formats.
  public static func isolateAll() { HelperService.isolateAll() }
}

/// Warnings of GDAL.
public enum GDALMessages {
  /// Returns and clears the warnings that GDAL and its libraries have issued since the last call.
  /// Each warning is one line. At most the first 20 warnings are returned.
  public static func drain() -> [String] { GDALLibrary.drainWarnings() }

  /// Sets the encoding of text in tables, Shapefiles and DXF files, for the whole process.
  ///
  /// - Throws: if GDAL does not support the encoding.
  public static func setTextEncoding(_ name: String) throws(PlumbError) {
    do throws(GDALError) {
      try GDALLibrary.setTextEncoding(name)
    } catch {
      throw PlumbError(error.message)
    }
  }
}
