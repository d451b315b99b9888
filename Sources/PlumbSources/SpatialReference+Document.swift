import PlumbCore
import PlumbGeometry

extension SpatialReference {
  /// The reference that a document writes.
  ///
  /// - Throws: also when it names a file outside of PROJ's own data, which only `anywhere` allows.
  package static func inDocument(
    _ definition: String, _ access: DocumentAccess
  ) throws -> SpatialReference {
    if !access.isUnlimited, let file = SpatialReference.file(namedIn: definition) {
      throw PlumbError(
        "the reference names the file \(file.printable)", code: .notAllowed,
        remedies: ["it needs \(.allowOutside)"])
    }
    return try SpatialReference(definition)
  }
}
