/// What whoever uses Plumb can set, whatever it is called where they set it: a flag of the command,
/// a parameter of an address, an argument of a function.
///
/// What Plumb says of a setting has the setting in it (`Wording`), so that each of them can put its
/// own name there.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  case layer, xColumn, yColumn, crs, outCRS, unit, geodesic, strict, allowOutside, overwrite, output
  case format, id, time, maxAhead, valveLayer, condition, filter, feature, at, location, fence

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
    case .strict: "the strict mode"
    case .allowOutside: "access outside the folder"
    case .overwrite: "overwriting"
    case .output: "the output's path"
    case .format: "the output's format"
    case .id: "the column of ids"
    case .time: "the column of times"
    case .maxAhead: "the limit of times ahead of the clock"
    case .valveLayer: "the layer of valves"
    case .condition: "the condition"
    case .filter: "the filter"
    case .feature: "the file of features"
    case .at: "a point"
    case .location: "a location"
    case .fence: "the file of fences"
    }
  }
}
