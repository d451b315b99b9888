/// A unit of distances in options.
public enum LengthUnit: String, Sendable, Hashable, CaseIterable {
  /// The SI metre.
  case metre = "m"
  /// 1,000 m.
  case kilometre = "km"
  /// The international foot, 0.3048 m.
  case foot = "ft"
  /// The US survey foot, 1200/3937 m.
  case usSurveyFoot = "us-ft"
  /// The statute mile of 5,280 international feet.
  case mile = "mi"
  /// 1,852 m.
  case nauticalMile = "nmi"
  /// An angle, not a distance on the ground.
  case degree = "deg"

  /// Metres in one unit; nil for the degree.
  public var metres: Double? {
    switch self {
    case .metre: 1
    case .kilometre: 1000
    case .foot: 0.3048
    case .usSurveyFoot: 1200.0 / 3937
    case .mile: 1609.344
    case .nauticalMile: 1852
    case .degree: nil
    }
  }

  /// The unit's name in the plural.
  public var name: String {
    switch self {
    case .metre: "metres"
    case .kilometre: "kilometres"
    case .foot: "feet"
    case .usSurveyFoot: "US survey feet"
    case .mile: "miles"
    case .nauticalMile: "nautical miles"
    case .degree: "degrees"
    }
  }
}
