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
