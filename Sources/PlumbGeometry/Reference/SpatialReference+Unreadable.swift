import PlumbCore

extension SpatialReference {
  private static let unreadable = "unreadable CRS: "

  /// A definition for a CRS that could not be read. `init(_:)` throws the reason. If the CRS were nil
  /// instead, coordinates in other CRSs would be used without a transformation.
  package static func unreadable(because reason: String) -> String { unreadable + reason }

  /// The reason why a CRS could not be read; nil for another definition.
  package static func reasonUnreadable(_ definition: String) -> String? {
    guard definition.hasBytes(atStart: unreadable) else { return nil }
    return String(decoding: definition.utf8.dropFirst(unreadable.utf8.count), as: UTF8.self)
  }
}
