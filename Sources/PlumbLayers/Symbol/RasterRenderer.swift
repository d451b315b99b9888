import PlumbCore

/// The colours of a raster's values in a picture. Identify results do not depend on the colours.
public enum RasterRenderer: Sendable, Hashable {
  /// A stretch of one band between two values along a ramp, or of three bands as red, green and blue.
  case stretch(Stretch)
  /// A colour for each of some values; cells with other values are not drawn.
  case values([Value])
  /// A colour for each range of values.
  case classes(minimum: Double, [Range])
  /// Hill shading of heights in metres.
  case shadedRelief(ShadedRelief)

  /// A mapping from a range of values to colours.
  public struct Stretch: Sendable, Hashable {
    /// The start and end of the ramp.
    public enum Limits: Sendable, Hashable {
      /// Ranges of the raster's values, one per band; the last range applies to all further bands.
      case values([ClosedRange<Double>])
      /// Percentiles of the values in the picture. `below` percent of the values are below the
      /// lower limit, and `above` percent are above the upper limit.
      case percent(below: Double, above: Double)
      /// Limits at a number of standard deviations from the mean of the values in the picture.
      case deviations(Double)
    }

    /// The limits. By default, 2% of the values are below the lower limit and 2% above the upper
    /// limit.
    public var limits: Limits
    /// The colour ramp for a single band.
    public var ramp: ColorRamp
    /// The gamma: values above 1 lighten midtones, and values below 1 darken midtones.
    public var gamma: Double

    /// Creates a stretch, by default from black to white.
    public init(
      limits: Limits = .percent(below: 2, above: 2), ramp: ColorRamp = .gray, gamma: Double = 1
    ) {
      (self.limits, self.ramp, self.gamma) = (limits, ramp, gamma)
    }
  }

  /// The colour of one value.
  public struct Value: Sendable, Hashable {
    /// The stored value.
    public var value: Double
    /// The colour of cells with the value.
    public var color: Color
    /// The label in a legend.
    public var label: String

    /// Creates a value with its colour; the default label is the value.
    public init(_ value: Double, color: Color, label: String? = nil) {
      (self.value, self.color) = (value, color)
      self.label = label ?? FieldValue.real(value).plainText
    }
  }

  /// A range of values above the previous range's maximum, up to and including the maximum of this
  /// range.
  public struct Range: Sendable, Hashable {
    /// The maximum value of the range.
    public var maximum: Double
    /// The colour of cells in the range.
    public var color: Color
    /// The label in a legend.
    public var label: String

    /// Creates a range up to a maximum.
    public init(maximum: Double, color: Color, label: String? = nil) {
      (self.maximum, self.color) = (maximum, color)
      self.label = label ?? "to \(FieldValue.real(maximum).plainText)"
    }
  }

  /// The parameters of hill shading.
  public struct ShadedRelief: Sendable, Hashable {
    /// The direction of the light in degrees: `azimuth` clockwise from north, and `altitude` above
    /// the horizon.
    public var azimuth, altitude: Double
    /// The factor by which heights are multiplied.
    public var zFactor: Double
    /// The colours from the lowest to the highest height in the picture.
    public var ramp: ColorRamp

    /// Creates a shaded relief, by default with light from the north-west at 45°.
    public init(
      azimuth: Double = 315, altitude: Double = 45, zFactor: Double = 1,
      ramp: ColorRamp = .elevation
    ) {
      (self.azimuth, self.altitude) = (azimuth, altitude)
      (self.zFactor, self.ramp) = (zFactor, ramp)
    }
  }
}
