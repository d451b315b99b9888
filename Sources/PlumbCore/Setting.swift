/// An option of Plumb, independent of its spelling in a front end: a flag of the command, a parameter of
/// an address, an argument of a function.
///
/// Messages contain the option itself (`Wording`), so that each front end prints its own spelling. The raw
/// value is the stem of the spellings: `--filter-category`, `filter_category`, `filter-category`.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  /// Which layer of a file or map.
  case layer
  /// The column of x, by name or number from 1.
  case xColumn = "x"
  /// The column of y, by name or number from 1.
  case yColumn = "y"
  /// The coordinate reference of the input.
  case crs
  /// The coordinate reference of the output.
  case outCRS = "out-crs"
  /// The unit of distances.
  case unit
  /// Whether distances are measured on the ellipsoid.
  case geodesic
  /// The file of features of a buffer.
  case input
  /// The features of a buffer as GeoJSON.
  case features
  /// The distances of buffers.
  case distance
  /// The column with the distances of buffers.
  case distanceField = "distance-field"
  /// The largest deviation of a buffer's outline.
  case maxDeviation = "max-deviation"
  /// The curve of edges between their vertices.
  case curve
  /// Whether areas are joined.
  case union
  /// The types of columns.
  case types
  /// The number of threads.
  case threads
  /// Whether the extents of areas are wanted.
  case bounds
  /// The encoding of areas.
  case layout
  /// The encoding of text.
  case encoding
  /// Whether warnings are errors.
  case strict
  /// Whether a document may reach beyond its folder.
  case allowOutside = "allow-outside"
  /// The hosts that a document may reach.
  case allowHost = "allow-host"
  /// The token sent to services.
  case token
  /// Whether an output may replace a file.
  case overwrite
  /// The path of the output, and its format.
  case output, format
  /// The path of a picture of the result.
  case picture
  /// The columns of ids and of times.
  case id, time
  /// How far ahead of the clock times may be.
  case maxAhead = "max-ahead"
  /// The network to trace.
  case network
  /// The table or layer of valves of an EPANET network.
  case valveLayer = "valve-layer"
  /// The type of a trace, its starts and its barriers.
  case type, start, barrier
  /// Elements that an isolation may close.
  case filterBarrier = "filter-barrier"
  /// A category of elements that an isolation may close.
  case filterCategory = "filter-category"
  /// The conditions of traces and of monitors.
  case condition, filter
  /// Valves that cannot be closed.
  case inoperable
  /// Whether one-way elements hold.
  case oneWay = "one-way"
  /// Whether isolated elements are named.
  case includeIsolated = "include-isolated"
  /// The attribute that a shortest path sums.
  case cost
  /// The domain network and the tier of a trace.
  case domain, tier
  /// A trace request of UtilityNetworkServer.
  case request
  /// Whether all isolation segments are wanted instead of a trace.
  case segments
  /// A condition on the features of a layer.
  case whereClause = "where"
  /// Cells by column and row.
  case pixel
  /// What an expression is evaluated for.
  case feature, at, location, fence
  /// The rasters or the map that identify asks, and a map that a server holds open.
  case rasters, map
  /// The table of points, and the layer of its file.
  case points
  case pointsLayer = "points-layer"
  /// The table of cells.
  case pixels
  /// The layers of a map by number.
  case layers
  /// The distance from a point at which features count, and the scale of the map.
  case tolerance, scale
  /// The number of results of a layer.
  case maxResults = "max-results"
  /// Whether popups alone are wanted.
  case popupsOnly = "popups-only"
  /// The bands of rasters and the method of reading values between cells.
  case band, resampling
  /// Whether scale and offset are applied.
  case scaled
  /// The memory for decoded tiles, and whether tiles are kept.
  case cache, once
  /// The names of rasters, and of columns.
  case names, fields
  /// Columns beside the values.
  case status, provenance
  /// The number of simultaneous requests to servers.
  case connections
  /// The files and hosts that documents may name.
  case access

  /// The option in plain words, for a front end that does not offer it.
  public var noun: String {
    switch self {
    case .layer: "the layer"
    case .xColumn: "the column of x"
    case .yColumn: "the column of y"
    case .crs: "the coordinate reference"
    case .outCRS: "the output's coordinate reference"
    case .unit: "the unit"
    case .geodesic: "geodesic measuring"
    case .input: "the input"
    case .features: "the features"
    case .distance: "the distance"
    case .distanceField: "the column of distances"
    case .maxDeviation: "the largest deviation"
    case .curve: "the curve of edges"
    case .union: "the union"
    case .types: "the types of columns"
    case .threads: "the number of threads"
    case .bounds: "the extents"
    case .layout: "the encoding of areas"
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
    case .picture: "the picture"
    case .network: "the network"
    case .valveLayer: "the layer of valves"
    case .type: "the type"
    case .start: "the start"
    case .barrier: "the barrier"
    case .filterBarrier: "the filter barrier"
    case .filterCategory: "the category of filter barriers"
    case .inoperable: "the inoperable valve"
    case .oneWay: "the direction of flow"
    case .includeIsolated: "the list of isolated elements"
    case .cost: "the cost"
    case .domain: "the domain network"
    case .tier: "the tier"
    case .request: "the trace request"
    case .segments: "isolation segments"
    case .condition: "the condition"
    case .filter: "the filter"
    case .whereClause: "the condition on features"
    case .pixel: "columns and rows"
    case .feature: "the file of features"
    case .at: "a point"
    case .location: "a location"
    case .fence: "the file of fences"
    case .rasters: "the rasters"
    case .map: "the map"
    case .points: "a table of points"
    case .pointsLayer: "the layer of the table of points"
    case .pixels: "a table of cells"
    case .layers: "the numbers of layers"
    case .tolerance: "the tolerance"
    case .scale: "the scale"
    case .maxResults: "the number of results"
    case .popupsOnly: "popups alone"
    case .band: "the bands"
    case .resampling: "the resampling"
    case .scaled: "scaled values"
    case .cache: "the memory for tiles"
    case .once: "a single use of tiles"
    case .names: "the names"
    case .fields: "the names of columns"
    case .status: "the column of statuses"
    case .provenance: "the columns of provenance"
    case .connections: "the number of connections"
    case .access: "access to files"
    }
  }
}
