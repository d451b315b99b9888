import PlumbCore

/// Operations on geometries. Each is a pure function; lists run on several threads and come back
/// in the order of the input.
///
/// Where two geometries take part, the first spatial reference that is known wins and the others
/// are projected to it. Planar measures are in the unit of the spatial reference, geodesic ones in
/// metres on its ellipsoid.
public enum GeometryEngine {}
