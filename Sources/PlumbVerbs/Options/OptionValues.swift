import Plumb
import PlumbCore
import Synchronization

extension SpatialReference {
  /// The CRS of an option.
  ///
  /// - Throws: an error with the code of an invalid option if there is no CRS of that name.
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

/// The last CRSs by authority and code: creating one takes longer than identifying a point.
private enum KnownReferences {
  private static let kept = Mutex<[String: SpatialReference]>([:])
  private static let most = 32

  static func reference(_ text: String) -> SpatialReference? { kept.withLock { $0[text] } }

  static func keep(_ reference: SpatialReference, _ text: String) {
    // Other definitions may be files, which can change.
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...8).contains(parts[1].count),
      parts[1].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return }
    kept.withLock { kept in
      if kept.count >= most { kept.removeAll() }
      kept[text] = reference
    }
  }
}

extension ColumnTypes {
  /// The column types of an option; the types that the columns suggest if there is no option.
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
