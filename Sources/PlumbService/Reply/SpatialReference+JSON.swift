import Plumb
import PlumbGeometry
import PlumbIO
import Synchronization

extension SpatialReference {
  /// The CRS as Esri JSON. It contains the old and the current code (`wkid` and `latestWkid`) or,
  /// without a code, the WKT.
  var json: JSONObject { ReferenceTexts.shared.text(of: self) { makeJSON() } }

  /// Esri's name for the unit of the CRS.
  var esriUnits: String {
    if isGeographic { return "esriDecimalDegrees" }
    switch unit.factor {
    case 1: return "esriMeters"
    case 0.3048, 1200.0 / 3937: return "esriFeet"
    default: return "esriUnknownUnits"
    }
  }

  /// The CRS defined by its EPSG code if it has one; otherwise this CRS.
  var registered: SpatialReference {
    let identity = identity(withWKT: false)
    guard identity.authority == "EPSG", let code = identity.code,
      let known = try? SpatialReference("EPSG:" + code)
    else { return self }
    return known
  }

  private func makeJSON() -> JSONObject {
    var object = JSONObject()
    let identity = identity(withWKT: false)
    let isBound = definition.hasPrefix("BOUNDCRS")
    // Codes of other authorities, such as IAU, have other meanings.
    let isOfEsri = ["EPSG", "ESRI"].contains(identity.authority ?? "")
    if !isBound, isOfEsri, let text = identity.code, let code = Int(text) {
      object.add("wkid", code == 3857 ? 102_100 : code)
      object.add("latestWkid", code)
    } else {
      object.add("wkt", esriWKT ?? definition)
    }
    return object
  }
}

extension Envelope {
  var json: JSONObject {
    var object = JSONObject()
    let isThere = !isEmpty
    object.add("xmin", isThere ? .real(xMin) : .text("NaN"))
    object.add("ymin", isThere ? .real(yMin) : .text("NaN"))
    object.add("xmax", isThere ? .real(xMax) : .text("NaN"))
    object.add("ymax", isThere ? .real(yMax) : .text("NaN"))
    if let spatialReference { object.add("spatialReference", spatialReference.json) }
    return object
  }
}

/// A cache of CRSs as JSON, because PROJ is slow to identify WKT definitions.
private final class ReferenceTexts: Sendable {
  static let shared = ReferenceTexts()

  private let known = Mutex<[SpatialReference: JSONObject]>([:])
  /// The maximum number of cached CRSs. The number is limited because requests may use any CRS.
  private static let limit = 256

  func text(of reference: SpatialReference, _ make: () -> JSONObject) -> JSONObject {
    if let known = known.withLock({ $0[reference] }) { return known }
    let made = make()
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[reference] = made
    }
    return made
  }
}
