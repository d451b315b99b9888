import CPlumb
import Plumb
import PlumbVerbs

extension SpatialReference {
  /// What `plumb_crs_describe` gives.
  ///
  /// - Parameter withWKT: whether the definition as WKT is among it.
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

/// What is known of a reference.
@c @implementation
public func plumb_crs_describe(
  _ crs: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) { try SpatialReference(asked: CText.text(crs, "the reference")).json() }
}

/// Whether two references are one.
@c @implementation
public func plumb_crs_same(
  _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
  _ same: UnsafeMutablePointer<CInt>?
) -> CInt {
  same?.pointee = 0
  return entry {
    guard let same else { throw CallError.null("the pointer to the answer") }
    let first = try SpatialReference(asked: CText.text(first, "the first reference"))
    let second = try SpatialReference(asked: CText.text(second, "the second reference"))
    same.pointee = first.isEquivalent(to: second) ? 1 : 0
  }
}
