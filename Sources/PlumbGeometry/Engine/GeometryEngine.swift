import PlumbCore

/// Operations on geometries. Each is a pure function; lists are processed on several threads, with
/// results in the order of the input.
///
/// For several geometries, the first known spatial reference is used and the others are projected
/// to it. Planar measures are in the unit of the spatial reference, geodesic ones in metres on its
/// ellipsoid.
public enum GeometryEngine {}
