import PlumbCore
import PlumbGeometry

extension SpatialReference {
  /// Creates the CRS of a definition in a document.
  ///
  /// - Throws: if PROJ does not support the definition, or if the definition refers to a file
  ///   outside PROJ's own data, which only `anywhere` allows.
  package static func inDocument(
    _ definition: String, _ access: DocumentAccess
  ) throws -> SpatialReference {
    if !access.isUnlimited, let file = SpatialReference.file(namedIn: definition) {
      throw PlumbError(
        "the CRS names the file \(file.printable)", code: .notAllowed,
        remedies: ["this requires \(.allowOutside)"])
    }
    return try SpatialReference(definition)
  }
}
