import PlumbCore

/// Operations on geometries. Each operation is a pure function. Lists are processed on several
/// threads; the results are in the order of the input.
///
/// If an operation takes several geometries, it uses the first known CRS and projects the other
/// geometries to it. Planar measurements are in the unit of the CRS, and geodesic measurements are
/// in metres on the ellipsoid of the CRS.
public enum GeometryEngine {}
