import Plumb
import PlumbCore

extension SpatialReference {
  /// The reference of an option.
  ///
  /// - Throws: with the code of a wrong option where there is none of that name.
  package init(asked text: String) throws {
    do throws(GeometryError) {
      try self.init(text)
    } catch {
      var error = error
      if error.code == .failed { error.code = .badOption }
      throw error
    }
  }
}

extension ColumnTypes {
  /// The types of columns in an option; those that the columns suggest without one.
  ///
  /// - Throws: for types that are not valid.
  package init(option: String?) throws {
    self = .automatic
    do {
      if let option { self = try ColumnTypes(option) }
    } catch {
      throw PlumbError("\(.types)", error)
    }
  }
}
