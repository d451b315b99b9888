import Plumb
import PlumbCore
import Synchronization

extension SpatialReference {
  /// Creates the CRS that an option names.
  ///
  /// - Throws: an error with the code of an invalid option if there is no CRS with this name.
  package init(userInput text: String) throws {
    if let known = KnownReferences.reference(text) {
      self = known
      return
    }
    do throws(GeometryError) {
      try self.init(text)
      KnownReferences.keep(self, text)
    } catch {
      var error = error
      if error.code == .failed { error.code = .badOption }
      throw error
    }
  }
}

/// A cache of CRSs by authority and code, because creating a CRS takes longer than identifying a point.
private enum KnownReferences {
  private static let kept = Mutex<[String: SpatialReference]>([:])
  private static let maximumCount = 32

  static func reference(_ text: String) -> SpatialReference? { kept.withLock { $0[text] } }

  static func keep(_ reference: SpatialReference, _ text: String) {
    // Other definitions are not cached, because they may be files, which can change.
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...8).contains(parts[1].count),
      parts[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return }
    kept.withLock { kept in
      if kept.count >= maximumCount { kept.removeAll() }
      kept[text] = reference
    }
  }
}

extension ColumnTypes {
  /// Creates the column types that an option lists. Without the option, types are detected from the
  /// columns.
  ///
  /// - Throws: for invalid types.
  package init(option: String?) throws {
    self = .automatic
    do {
      if let option { self = try ColumnTypes(option) }
    } catch {
      throw PlumbError("\(.types)", error)
    }
  }
}
