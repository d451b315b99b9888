import Plumb
import PlumbBatch
import PlumbIO

/// A statistic of a raster's value in the area of a query, such as `Band_0_mean` or `Band_0_count`.
struct AreaStatistic: Sendable {
  /// The value of the cells from which the statistic is computed.
  let parameter: RasterParameter
  /// The statistic. Each cell is weighted by the fraction that the area covers.
  let statistic: ZonalStatistic

  var name: String { "\(parameter.name)_\(statistic.name)" }

  /// Returns the statistics of all parameters except complex parameters.
  static func all(of parameters: [RasterParameter]) -> [AreaStatistic] {
    parameters.filter { !$0.source.pixelType.isComplex }.flatMap { parameter in
      [.mean, .count].map { AreaStatistic(parameter: parameter, statistic: $0) }
    }
  }

  private var label: String {
    statistic == .mean
      ? "\(parameter.label), mean in the area"
      : "\(parameter.label), number of cells with a value in the area"
  }

  private var unit: String { statistic == .mean ? parameter.unit : "" }

  /// The parameter in GeoJSON.
  var description: JSONObject {
    object { label in .text(label) }
  }

  /// The parameter in CoverageJSON.
  var coverageJSON: JSONObject {
    object { label in .object(RasterParameter.english(label)) }
  }

  private func object(_ text: (String) -> RasterParameter.Label) -> JSONObject {
    var object = JSONObject()
    object.add("type", "Parameter")
    object.add("id", name)
    var property = JSONObject()
    for (key, target) in [("description", 0), ("label", 1)] {
      switch text(label) {
      case .text(let text): target == 0 ? object.add(key, text) : property.add(key, text)
      case .object(let part): target == 0 ? object.add(key, part) : property.add(key, part)
      }
    }
    RasterParameter.add(unit: unit, to: &object, text)
    object.add("observedProperty", property)
    var measurement = JSONObject()
    measurement.add("method", statistic.name)
    object.add("measurementType", measurement)
    return object
  }
}
