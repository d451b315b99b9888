/// What whoever uses Plumb can set, whatever it is called where they set it: a flag of the command,
/// a parameter of an address, an argument of a function.
///
/// What Plumb says of a setting has the setting in it (`Wording`), so that each of them can put its
/// own name there.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  /// Which layer of a file or map.
  case layer
  /// The columns of coordinates, by name or number from 1.
  case xColumn, yColumn
  /// The coordinate reference of the input, and that of the output.
  case crs, outCRS
  /// The unit of distances.
  case unit
  /// Whether distances are measured on the ellipsoid.
  case geodesic
  /// The encoding of text.
  case encoding
  /// Whether warnings are errors.
  case strict
  /// Whether a document may reach beyond its folder.
  case allowOutside
  /// The hosts that a document may reach, and what says who asks.
  case allowHost, token
  /// Whether an output may replace a file.
  case overwrite
  /// The path of the output, and its format.
  case output, format
  /// The columns of ids and of times.
  case id, time
  /// How far ahead of the clock times may be.
  case maxAhead
  /// The table or layer of valves of an EPANET network.
  case valveLayer
  /// The conditions of traces and of monitors.
  case condition, filter
  /// Cells by column and row.
  case pixel
  /// What an expression is evaluated for.
  case feature, at, location, fence

  /// What it is in plain words, for where it has no name of its own.
  public var noun: String {
    switch self {
    case .layer: "the layer"
    case .xColumn: "the column of x"
    case .yColumn: "the column of y"
    case .crs: "the coordinate reference"
    case .outCRS: "the output's coordinate reference"
    case .unit: "the unit"
    case .geodesic: "geodesic measuring"
    case .encoding: "the encoding of text"
    case .strict: "the strict mode"
    case .allowOutside: "access outside the folder"
    case .allowHost: "an entry of the host"
    case .token: "a token"
    case .overwrite: "overwriting"
    case .output: "the output's path"
    case .format: "the output's format"
    case .id: "the column of ids"
    case .time: "the column of times"
    case .maxAhead: "the limit of times ahead of the clock"
    case .valveLayer: "the layer of valves"
    case .condition: "the condition"
    case .filter: "the filter"
    case .pixel: "columns and rows"
    case .feature: "the file of features"
    case .at: "a point"
    case .location: "a location"
    case .fence: "the file of fences"
    }
  }
}
