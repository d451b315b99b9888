import CPROJ
import PlumbCore

extension SpatialReference {
  /// The identification of a CRS for other programs.
  package struct Identity: Sendable, Hashable {
    /// The authority and its code, such as EPSG and 4326; nil if there is none.
    package var authority: String?
    package var code: String?
    /// The definition as WKT 2:2019 on one line; nil if PROJ cannot express it.
    package var wkt: String?
  }

  /// The identification of the CRS for other programs.
  ///
  /// - Parameter withWKT: whether to include the WKT, which always needs PROJ.
  package func identity(withWKT: Bool) -> Identity {
    if !withWKT, Self.common(definition) != nil {
      return Identity(authority: "EPSG", code: String(definition.dropFirst("EPSG:".count)))
    }
    guard let context = try? ProjContext(),
      let crs = proj_create(context.pointer, definition)
    else { return Identity() }
    defer { proj_destroy(crs) }
    var identity = Identity()
    if let (authority, code) = Self.registeredID(of: crs, definition: definition, context) {
      (identity.authority, identity.code) = (authority, code)
    }
    guard withWKT else { return identity }
    identity.wkt = proj_as_wkt(context.pointer, crs, PJ_WKT2_2019, nil).map {
      String(cString: $0).split(whereSeparator: \.isNewline)
        .map { $0.drop { $0 == " " } }.joined()
    }
    return identity
  }

  /// Returns the definition as PROJJSON on one line; nil if PROJ cannot express it.
  ///
  /// - Throws: if PROJ is not available.
  package func projJSON() throws(GeometryError) -> String? {
    let context = try ProjContext()
    guard let crs = proj_create(context.pointer, definition) else { return nil }
    defer { proj_destroy(crs) }
    return "MULTILINE=NO".withCString { option in
      let options: [UnsafePointer<CChar>?] = [option, nil]
      return proj_as_projjson(context.pointer, crs, options).map { String(cString: $0) }
    }
  }

  /// The definition as ESRI WKT; nil if PROJ cannot express it.
  package var esriWKT: String? {
    guard let context = try? ProjContext(),
      let crs = proj_create(context.pointer, definition)
    else { return nil }
    defer { proj_destroy(crs) }
    // A bound CRS is written without its transformation to another datum.
    let source =
      proj_get_type(crs) == PJ_TYPE_BOUND_CRS ? proj_get_source_crs(context.pointer, crs) : nil
    defer { if let source { proj_destroy(source) } }
    return proj_as_wkt(context.pointer, source ?? crs, PJ_WKT1_ESRI, nil).map {
      String(cString: $0).split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined()
    }
  }
}
