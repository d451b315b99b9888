import PlumbCore

/// Operations on geometries. Each operation is a pure function. Lists are processed on several
/// threads; the results are in the order of the input.
///
/// If an operation takes several geometries, it uses the first known spatial reference and projects
/// the other geometries to it. Planar measurements are in the unit of the spatial reference,
/// geodesic measurements in metres on its ellipsoid.
public enum GeometryEngine {}
