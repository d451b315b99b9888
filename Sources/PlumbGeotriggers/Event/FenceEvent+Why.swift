import PlumbExpressions

extension FenceEvent {
  /// Returns a description of why the event was reported, with the distances, discs and times that
  /// caused it.
  public func why(_ rules: FenceRules, _ fences: FenceSet) -> String {
    switch cause {
    case .location: break
    case .fenceChanged: return "the fence changed: " + currentReason(rules, fences)
    case .fenceRemoved: return "the fence was removed" + stay
    }
    return currentReason(rules, fences)
  }

  private func currentReason(_ rules: FenceRules, _ fences: FenceSet) -> String {
    switch type {
    case .entered: return point(rules, fences) + (passage.map { ", in at \($0)" } ?? "")
    case .exited:
      return point(rules, fences) + stay + (passage.map { ", out at \($0)" } ?? "")
    case .dwelt:
      guard let since else { return point(rules, fences) }
      let seconds = Double(time &- since) / 1000
      return "inside for \(Self.text(seconds)) s, since \(Self.text(time: since))"
    case .crossed:
      guard let passage, let secondPassage else { return "passed between two locations" }
      return "passed between two locations: \(passage), then \(secondPassage)"
    }
  }

  private var stay: String { since.map { ", was inside since \(Self.text(time: $0))" } ?? "" }

  private func point(_ rules: FenceRules, _ fences: FenceSet) -> String {
    if fences.region != nil { return type == .exited ? "outside the region" : "in the region" }
    var text: String
    if distance.isNaN {
      text = "the fence was removed, or has no distance"
    } else if distance == 0 {
      text = "on the fence's own geometry"
    } else {
      text = "\(Self.text(distance)) m from the fence's geometry"
    }
    if fences.bufferDistance > 0 { text += ", the buffer is \(Self.text(fences.bufferDistance)) m" }
    if accuracy > 0 {
      text +=
        ", the location is a disc of \(Self.text(accuracy)) m (\(rules.relationship.rawValue))"
    }
    return text
  }

  private static func text(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() && rounded.magnitude < 1e15
      ? "\(Int64(rounded))" : "\(rounded)"
  }

  static func text(time: Int64) -> String { ArcadeDate(milliseconds: time).iso }
}

extension FencePassage: CustomStringConvertible {
  /// The time, the longitude and the latitude, such as `2026-05-01T10:04:40Z at 18.4, -33.9`.
  public var description: String { "\(FenceEvent.text(time: time)) at \(x), \(y)" }
}

extension FenceEvent: CustomStringConvertible {
  /// A line with the numbers of the entity and of the fence, the kind of event, its time and its
  /// location, for example `entity 0 entered fence 3, 2026-05-01T10:04:40Z at 18.4, -33.9`.
  public var description: String {
    let verb = type == .dwelt ? "dwelt in" : type.rawValue
    return "entity \(entity) \(verb) fence \(fence), \(Self.text(time: time)) at \(x), \(y)"
  }
}
