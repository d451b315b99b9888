import PlumbCore
import PlumbGeometry

/// Checks whether the unit of distances fits the CRS in which they are measured.
struct BufferUnits {
  private let unit: LengthUnit?
  private let method: BufferMethod

  package init(_ unit: LengthUnit?, _ method: BufferMethod) {
    (self.unit, self.method) = (unit, method)
  }

  /// - Returns: warnings, one line each.
  /// - Throws: an error with remedies, if the unit does not fit the CRS.
  package func check(_ reference: SpatialReference?) throws -> [MessageTemplate] {
    switch method {
    case .planar: return try checkPlanar(reference)
    case .geodesic:
      guard let reference else {
        throw PlumbError(
          messageTemplate: "\(.geodesic) needs the input's CRS",
          code: .noReference, remedies: ["set it with \(.crs)"])
      }
      guard reference.isGeoreferenced else {
        throw PlumbError(
          "\(reference.label) is not tied to the Earth", code: .badOption,
          remedies: ["omit \(.geodesic)"])
      }
      if unit == .degree {
        throw PlumbError(
          messageTemplate: "\(.geodesic) distances cannot be in degrees", code: .badOption,
          remedies: [Self.lengths])
      }
      return []
    }
  }

  private static let lengths: MessageTemplate = "give \(.unit) m, km, ft, us-ft, mi or nmi"

  private func checkPlanar(_ reference: SpatialReference?) throws -> [MessageTemplate] {
    guard let reference else {
      guard let unit else { return [] }
      throw PlumbError(
        "the input has no CRS, so \(unit.name) cannot be converted",
        code: .noReference, remedies: ["set it with \(.crs), or omit \(.unit)"])
    }
    guard reference.isGeographic else {
      guard unit == .degree else { return [] }
      throw PlumbError(
        messageTemplate: "\(.unit) deg does not fit \(reference.label), whose unit is the "
          + "\(reference.unit.name)", code: .badOption, remedies: [Self.lengths])
    }
    if let unit, unit != .degree {
      throw PlumbError(
        "\(unit.name) do not fit the \(reference.unit.name)s of \(reference.label)",
        code: .badOption, remedies: ["add \(.geodesic) to measure on the ground"])
    }
    guard unit == nil else { return [] }
    return [
      "distances are in \(reference.unit.name)s of \(reference.label), which are not distances "
        + "on the ground; use \(.geodesic) for distances on the ground"
    ]
  }
}
