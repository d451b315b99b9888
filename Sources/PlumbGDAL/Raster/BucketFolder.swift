import CGDAL
import PlumbCore
import PlumbIO

/// The files of a bucket that match a pattern.
package enum BucketFolder {
  /// The files with names that match a pattern, in byte order of their names.
  ///
  /// - Parameter pattern: the name of a bucket, with `*`, `?` and `[…]` in its last part.
  /// - Throws: if the bucket cannot be listed.
  package static func files(matching pattern: String) throws(GDALError) -> [String] {
    try GDALLibrary.load()
    guard let slash = pattern.lastIndex(of: "/") else { return [] }
    let folder = String(pattern[..<slash])
    let last = String(pattern[pattern.index(after: slash)...])
    guard !folder.contains(where: { "*?[".contains($0) }) else {
      throw GDALError(
        "\(pattern.printable): in a bucket, only the part after the last slash may be a pattern",
        code: .badOption)
    }
    CPLErrorReset()
    let list = VSIReadDir(BucketName.gdalPath(of: folder))
    defer { CSLDestroy(list) }
    guard let list else {
      throw GDALError(
        "\(folder.printable) cannot be listed: "
          + GDALLibrary.lastError(
            "it has no files, or its bucket does not exist or does not permit listing"),
        code: .notFound)
    }
    return strings(list).filter { FileNamePattern.matches($0, last) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { folder + "/" + $0 }
  }
}
