import PlumbCore
import PlumbGeometry

/// Whether a unit of distances fits the reference that they are measured in.
package struct BufferUnits {
  private let unit: LengthUnit?
  private let method: BufferMethod

  package init(_ unit: LengthUnit?, _ method: BufferMethod) {
    (self.unit, self.method) = (unit, method)
  }

  /// - Returns: what may surprise, a line each.
  /// - Throws: when the unit does not fit, with what to do.
  package func check(_ reference: SpatialReference?) throws -> [Wording] {
    switch method {
    case .planar: return try checkPlanar(reference)
    case .geodesic:
      guard let reference else {
        throw PlumbError(
          wording: "\(.geodesic) needs to know what the input's coordinates are in",
          code: .noReference, remedies: ["say it with \(.crs)"])
      }
      guard reference.isGeoreferenced else {
        throw PlumbError(
          "\(reference.label) does not lie on the ground", code: .badOption,
          remedies: ["leave \(.geodesic) out"])
      }
      if unit == .degree {
        throw PlumbError(
          wording: "\(.geodesic) measures on the ground", code: .badOption,
          remedies: [Self.lengths])
      }
      return []
    }
  }

  private static let lengths: Wording = "give \(.unit) m, km, ft, us-ft, mi or nmi"

  private func checkPlanar(_ reference: SpatialReference?) throws -> [Wording] {
    guard let reference else {
      guard let unit else { return [] }
      throw PlumbError(
        "the input does not say what its coordinates are in, so \(unit.name) cannot be determined",
        code: .noReference, remedies: ["say it with \(.crs), or leave \(.unit) out"])
    }
    guard reference.isGeographic else {
      guard unit == .degree else { return [] }
      throw PlumbError(
        wording: "\(.unit) deg does not fit \(reference.label), whose unit is the "
          + "\(reference.unit.name)", code: .badOption, remedies: [Self.lengths])
    }
    if let unit, unit != .degree {
      throw PlumbError(
        "\(unit.name) do not fit the \(reference.unit.name)s of \(reference.label)",
        code: .badOption, remedies: ["add \(.geodesic) to measure on the ground"])
    }
    guard unit == nil else { return [] }
    return [
      "distances are taken in \(reference.unit.name)s of \(reference.label), which are not distances "
        + "on the ground; \(.geodesic) measures there"
    ]
  }
}
