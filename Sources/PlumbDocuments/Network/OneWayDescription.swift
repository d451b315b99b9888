import PlumbCore
import PlumbNetwork

extension UtilityNetwork {
  /// The kind of a one-way element, and the reason why an isolation depends on the element, in one
  /// line.
  package func why(_ hold: IsolationHold) -> String {
    "\(oneWayKind(hold)): it must hold; if it is open in both directions, supply enters the area"
  }

  /// The kind, such as `check valve`, `pump` or `PRV`; for networks that are not from EPANET, the name of the
  /// asset type.
  private func oneWayKind(_ hold: IsolationHold) -> String {
    let known = describe(hold.element)
    if EPANETUtility.defines(definition) {
      switch known.sourceName {
      case EPANETUtility.Source.pipe.name: return "check valve"
      case EPANETUtility.Source.valve.name: return known.assetTypeName.printable
      default: return known.sourceName
      }
    }
    let type = known.assetTypeName.isEmpty ? known.sourceName : known.assetTypeName
    switch hold.kind {
    case .oneWayEdge: return "\(type.printable), one-way edge"
    case .oneWayTerminals: return "\(type.printable), one-way terminal path"
    }
  }
}
