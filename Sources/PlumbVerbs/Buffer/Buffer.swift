import Plumb
import PlumbCore

/// The verb `buffer`: computes the areas within a distance of features or points.
package enum Buffer {
  /// The options of a buffer request.
  package struct Request: Sendable, Equatable {
    /// The path of the features.
    package var input: String?
    /// The features as GeoJSON text.
    package var features: [UInt8]?
    /// The points to buffer if the request has no features.
    package var points: [SIMD2<Double>] = []
    package var layer: String?
    package var x: String?
    package var y: String?
    package var crs: String?
    package var distances: [Double] = []
    package var distanceField: String?
    package var unit: LengthUnit?
    package var isGeodesic = false
    /// The maximum deviation from the exact boundary, in metres.
    package var maxDeviation: Double?
    package var curve: GeodesicCurve?
    package var isUnion = false
    package var output: String?
    package var overwrites = false
    /// The table of the database `output`; nil for a file.
    package var outputTable: String?
    package var appends = false
    package var picture: String?
    package var format: String?
    package var outCRS: String?
    package var types: String?
    package var isStrict = false
    package var threads: Int?
    package var hasBounds = false
    package var layout: Layout?

    package init() {}
  }

  /// The encoding of areas in memory.
  package enum Layout: String, OptionWord {
    /// ISO WKB.
    case wkb
    /// GeoArrow multipolygons.
    case geoarrow
  }
}

extension LengthUnit: OptionWord {}
extension GeodesicCurve: OptionWord {}
