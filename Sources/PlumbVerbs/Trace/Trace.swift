import Plumb
import PlumbCore
import PlumbIO

/// The verb `trace`: traces a utility network.
package enum Trace {
  /// The options of a trace request.
  package struct Request: Sendable, Equatable {
    /// The path of the network, or the name of a network that the front end has open.
    package var network: String?
    package var valveLayer: String?
    package var crs: String?
    package var isStrict = false
    package var type: TraceType?
    package var starts: [String] = []
    package var barriers: [String] = []
    package var filterBarriers: [String] = []
    package var filterCategory: String?
    package var filter: String?
    package var condition: String?
    package var inoperable: [String] = []
    package var oneWay: OneWayFlow?
    package var includesIsolated = false
    package var cost: String?
    package var domain: String?
    package var tier: String?
    package var request: TraceDocument?
    package var isSegments = false
    package var output: String?
    package var overwrites = false
    /// The table of the database `output`; nil for a file.
    package var outputTable: String?
    package var appends = false
    package var picture: String?
    package var format: Format?
    package var hasShapes = false
    package var access: FileAccess?

    package init(_ type: TraceType? = nil) { self.type = type }
  }

  /// A trace request of UtilityNetworkServer.
  package enum TraceDocument: Sendable, Equatable {
    /// The path of a JSON file.
    case file(String)
    /// A JSON object.
    case json(JSONTree)
  }

  /// The format of a result.
  package enum Format: String, OptionWord { case text, json, geojson, gpkg, csv, parquet, arrow }

  /// The C functions that each accept a subset of the options.
  package enum Part: String, CaseIterable, Sendable {
    case open = "plumb_network_open"
    case trace = "plumb_network_trace"
  }

  /// The outcome of a trace.
  package enum Outcome: Sendable {
    case done
    /// The isolation leaves a source that no valve can cut off.
    case notIsolated
  }
}

extension TraceType: OptionWord {}
extension OneWayFlow: OptionWord {}
