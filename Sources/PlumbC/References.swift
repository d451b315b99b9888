import CPlumb
import Plumb
import PlumbVerbs

extension SpatialReference {
  /// The result of `plumb_crs_describe`.
  ///
  /// - Parameter withWKT: whether to include the WKT definition.
  func json(withWKT: Bool = true) -> String {
    let identity = identity(withWKT: withWKT)
    var object = JSONObject()
    object.add("label", label)
    object.add("definition", definition)
    object.add("authority", identity.authority)
    object.add("code", identity.code)
    object.add("geographic", isGeographic)
    object.add("unit", unit.name)
    if withWKT { object.add("wkt", identity.wkt) }
    return object.text
  }
}

/// Describes a CRS.
@c @implementation
public func plumb_crs_describe(
  _ crs: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) { try SpatialReference(userInput: CText.text(crs, "the CRS")).json() }
}

/// Returns whether two CRSs are equal.
@c @implementation
public func plumb_crs_same(
  _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
  _ same: UnsafeMutablePointer<CInt>?
) -> CInt {
  same?.pointee = 0
  return entry {
    guard let same else { throw CallError.null("the pointer to the result") }
    let first = try SpatialReference(userInput: CText.text(first, "the first CRS"))
    let second = try SpatialReference(userInput: CText.text(second, "the second CRS"))
    same.pointee = first.isEquivalent(to: second) ? 1 : 0
  }
}
