import CGEOS
import PlumbCore

extension GEOSContext {
  func isValid(_ shape: borrowing GEOSShape) throws(GeometryError) -> Bool {
    try checkedResult(GEOSisValid_r(handle, shape.pointer), "a validity test")
  }

  /// A copy of a geometry that GEOS can process: an invalid geometry is repaired by
  /// `GEOSMakeValid_r`, and only the result's parts of the highest dimension are kept.
  ///
  /// An area of zero size becomes the line or the point to which it has collapsed; a line of zero
  /// length becomes a point.
  func validShape(of geometry: Geometry) throws(GeometryError) -> GEOSShape {
    let shape = try shape(of: geometry)
    guard try !isValid(shape) else { return shape }
    return try highestParts(of: madeValid(shape))
  }

  func madeValid(_ shape: borrowing GEOSShape) throws(GeometryError) -> GEOSShape {
    try adopt(GEOSMakeValid_r(handle, shape.pointer), "making valid")
  }

  /// A copy in which each part is made valid separately; an area where two parts overlap is
  /// included in the result.
  func madeValidByParts(_ shape: borrowing GEOSShape) throws(GeometryError) -> GEOSShape {
    let count = GEOSGetNumGeometries_r(handle, shape.pointer)
    guard count > 1 else { return try madeValid(shape) }
    var members: [OpaquePointer?] = []
    defer { destroy(members) }
    for index in 0..<count {
      guard let member = GEOSGetGeometryN_r(handle, shape.pointer, index) else {
        throw failure("a collection's member")
      }
      members.append(try adopt(GEOSMakeValid_r(handle, member), "making valid").take())
    }
    let all = try collection(GEOS_GEOMETRYCOLLECTION, &members)
    return try adopt(GEOSUnaryUnion_r(handle, all.pointer), "a union")
  }

  /// Returns only the parts of the highest dimension, because GEOS predicates reject collections of
  /// mixed dimensions.
  private func highestParts(
    of shape: consuming GEOSShape
  ) throws(GeometryError) -> GEOSShape {
    let type = GEOSGeomTypeId_r(handle, shape.pointer)
    guard type == Int32(GEOS_GEOMETRYCOLLECTION.rawValue) else { return shape }
    let parts = try ShapeParts(shape)
    return try self.shape(of: parts.geometry(dimension: parts.dimension ?? 0, nil))
  }
}
