/// The operations of the geometry service.
extension RESTOperation {
  var ofGeometry: [RESTParameter] {
    switch self {
    case .buffer:
      RESTParameter.used(
        "geometries", "inSR", "outSR", "bufferSR", "distances", "unit", "unionResults", "geodesic")
    case .project: Self.ofProject
    case .simplify, .union, .convexHull: RESTParameter.used("geometries", "sr")
    case .intersect, .difference: RESTParameter.used("geometries", "geometry", "sr")
    case .distance: RESTParameter.used("geometry1", "geometry2", "sr", "distanceUnit", "geodesic")
    case .lengths:
      RESTParameter.used("polylines", "sr", "lengthUnit", "geodesic", "calculationType")
    case .areasAndLengths:
      RESTParameter.used(
        "polygons", "sr", "lengthUnit", "areaUnit", "geodesic", "calculationType")
    case .relation:
      RESTParameter.used("geometries1", "geometries2", "sr", "relation", "relationParam")
    case .densify:
      RESTParameter.used("geometries", "sr", "maxSegmentLength", "geodesic", "lengthUnit")
    case .generalize: RESTParameter.used("geometries", "sr", "maxDeviation", "deviationUnit")
    case .labelPoints: RESTParameter.used("polygons", "sr")
    default: []
    }
  }

  private static let ofProject: [RESTParameter] = [
    RESTParameter.used("geometries", "inSR", "outSR"),
    RESTParameter.refused("transformation", transformation),
    RESTParameter.refused("transformForward", transformation, .flag(false)),
    RESTParameter.refused("vertical", "z is unchanged", .flag(false)),
  ].flatMap { $0 }
}
