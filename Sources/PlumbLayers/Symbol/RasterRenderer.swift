import PlumbCore

/// What colours a raster's values have in a picture. Answers do not depend on it.
public enum RasterRenderer: Sendable, Hashable {
  /// Along a ramp between two values, or three bands as red, green and blue.
  case stretch(Stretch)
  /// A colour for each of some values; others are not drawn.
  case values([Value])
  /// A colour for each range of values.
  case classes(minimum: Double, [Range])
  /// Heights in metres, with light from one side.
  case shadedRelief(ShadedRelief)

  /// Which colours lie between which values.
  public struct Stretch: Sendable, Hashable {
    /// Where the ramp begins and ends.
    public enum Limits: Sendable, Hashable {
      /// At values of the raster, a pair for each band; the last serves for all that follow.
      case values([ClosedRange<Double>])
      /// So much of 100 of the values in the picture lies below, and above.
      case percent(below: Double, above: Double)
      /// So many standard deviations of the values in the picture from their mean.
      case deviations(Double)
    }

    /// By default, 2 of 100 values lie below and 2 above.
    public var limits: Limits
    /// The colours of one band.
    public var ramp: ColorRamp
    /// Middle values are lighter above 1 and darker below.
    public var gamma: Double

    /// From black to white, unless said otherwise.
    public init(
      limits: Limits = .percent(below: 2, above: 2), ramp: ColorRamp = .gray, gamma: Double = 1
    ) {
      (self.limits, self.ramp, self.gamma) = (limits, ramp, gamma)
    }
  }

  /// One value's colour.
  public struct Value: Sendable, Hashable {
    /// A value as it is stored.
    public var value: Double
    /// What cells with the value are drawn in.
    public var color: Color
    /// What a legend calls it.
    public var label: String

    /// A value with its colour, which is its own label unless another is given.
    public init(_ value: Double, color: Color, label: String? = nil) {
      (self.value, self.color) = (value, color)
      self.label = label ?? FieldValue.real(value).plainText
    }
  }

  /// A range of values, from the one before to its maximum, which belongs to it.
  public struct Range: Sendable, Hashable {
    /// The greatest value of the range.
    public var maximum: Double
    /// What cells in the range are drawn in.
    public var color: Color
    /// What a legend calls it.
    public var label: String

    /// A range up to a maximum.
    public init(maximum: Double, color: Color, label: String? = nil) {
      (self.maximum, self.color) = (maximum, color)
      self.label = label ?? "to \(FieldValue.real(maximum).plainText)"
    }
  }

  /// Light on heights.
  public struct ShadedRelief: Sendable, Hashable {
    /// Where the light comes from, in degrees: from north to the right, and above the horizon.
    public var azimuth, altitude: Double
    /// What heights are multiplied with.
    public var zFactor: Double
    /// From the lowest height in the picture to the highest.
    public var ramp: ColorRamp

    /// Light from the north-west at 45°, unless said otherwise.
    public init(
      azimuth: Double = 315, altitude: Double = 45, zFactor: Double = 1,
      ramp: ColorRamp = .elevation
    ) {
      (self.azimuth, self.altitude) = (azimuth, altitude)
      (self.zFactor, self.ramp) = (zFactor, ramp)
    }
  }
}
