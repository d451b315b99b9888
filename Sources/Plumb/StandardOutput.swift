import PlumbGDAL

/// Lines of data on standard output.
public enum StandardOutput {
  /// Writes a line.
  ///
  /// - Throws: `SystemError`, on a closed pipe among others.
  public static func write(_ line: String) throws {
    let output = try ByteOutput(path: nil)
    try output.write(Array((line + "\n").utf8))
  }
}

/// What GDAL had to say that was not an error.
public enum GDALMessages {
  public static func take() -> [String] { GDALLibrary.takeWarnings() }
}
