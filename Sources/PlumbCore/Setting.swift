/// An option of Plumb, independent of its spelling in a front end: a command-line flag, a URL parameter or a
/// function argument.
///
/// Messages contain the option itself (`MessageTemplate`), so that each front end prints its own spelling.
/// The raw value is the stem of the spellings: `--filter-category`, `filter_category`, `filter-category`.
public enum Setting: String, Sendable, Hashable, CaseIterable {
  /// The layer of a file or map.
  case layer
  /// The column of x, by name or number from 1.
  case xColumn = "x"
  /// The column of y, by name or number from 1.
  case yColumn = "y"
  /// The CRS of the input.
  case crs
  /// The CRS of the output.
  case outCRS = "out-crs"
  /// The unit of distances.
  case unit
  /// Whether distances are measured on the ellipsoid.
  case geodesic
  /// The file of features to buffer.
  case input
  /// The features to buffer, as GeoJSON.
  case features
  /// The distances to buffer by.
  case distance
  /// The column that contains the distances to buffer by.
  case distanceField = "distance-field"
  /// The largest deviation of a buffer's outline.
  case maxDeviation = "max-deviation"
  /// The curve that edges follow between their vertices.
  case curve
  /// Whether the buffers are joined into one area.
  case union
  /// The types of columns.
  case types
  /// The number of threads.
  case threads
  /// Whether the extent of each buffer is output.
  case bounds
  /// The encoding of the buffers, such as WKB.
  case layout
  /// The encoding of text.
  case encoding
  /// Whether warnings are errors.
  case strict
  /// Whether a document may refer to files outside its folder.
  case allowOutside = "allow-outside"
  /// The hosts and buckets to which a document may refer.
  case allowHost = "allow-host"
  /// The token sent to services.
  case token
  /// Whether an output may replace a file.
  case overwrite
  /// The table of a database to write.
  case table
  /// The path of the output, and its format.
  case output, format
  /// The path of a picture of the result.
  case picture
  /// The column of ids, and the column of times.
  case id, time
  /// The largest duration by which times may be ahead of the clock.
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
  /// Whether one-way elements, such as check valves, block reverse flow.
  case oneWay = "one-way"
  /// Whether a trace's result contains the shapes of the traced elements.
  case shapes
  /// Whether isolated elements are listed instead of counted.
  case includeIsolated = "include-isolated"
  /// The attribute whose sum a shortest path minimizes.
  case cost
  /// The domain network and the tier of a trace.
  case domain, tier
  /// A trace request in the format of Esri's UtilityNetworkServer.
  case request
  /// Whether to compute all isolation segments instead of a trace.
  case segments
  /// A condition on the features of a layer.
  case whereClause = "where"
  /// Cells, each given by its column and row.
  case pixel
  /// The features, point, locations or fences for which an expression is evaluated.
  case feature, at, location, fence
  /// The rasters or the map to identify, or a map that a server has loaded.
  case rasters, map
  /// The table of points.
  case points
  /// The layer of the file of points.
  case pointsLayer = "points-layer"
  /// The table of cells.
  case pixels
  /// The layers of a map by number.
  case layers
  /// The distance from a point at which features match, and the scale of the map.
  case tolerance, scale
  /// The number of results per layer.
  case maxResults = "max-results"
  /// Whether only popups are output.
  case popupsOnly = "popups-only"
  /// The bands of rasters and the method of reading values between cells.
  case band, resampling
  /// Whether scale and offset are applied.
  case scaled
  /// The memory for decoded tiles, and whether tiles are discarded after one use.
  case cache, once
  /// The names of rasters, and of columns.
  case names, fields
  /// Whether columns with the status and with the source of each value are added.
  case status, provenance
  /// The number of simultaneous requests to servers.
  case connections
  /// The files and hosts to which documents may refer.
  case access
  /// The locations of a monitor.
  case feed
  /// The fences of a monitor.
  case fences
  /// Fences from the regions of a raster.
  case rasterFence = "raster-fence"
  /// The box that the monitored fences intersect.
  case area
  /// The kinds of events that a monitor reports.
  case rule
  /// The distance by which fences extend beyond their features.
  case buffer
  /// Whether a location is a disc whose radius is its accuracy, and the rule by which a disc enters and exits
  /// a fence.
  case accuracy, relationship
  /// A condition on locations.
  case feedFilter = "feed-filter"
  /// The time that an entity stays inside a fence before an event, the time after an event during
  /// which further events are omitted, and the time without locations after which an entity is
  /// forgotten.
  case dwell, cooldown, forget
  /// Whether fences that an entity passes through between two locations are reported.
  case crossings
  /// Whether events of fences that contain an entity's first location are omitted.
  case noInitial = "no-initial"
  /// The text of events, and the name of a monitor.
  case message, name
  /// Whether each event contains its reason.
  case explain
  /// Whether events are appended to an existing file.
  case append
  /// The files that info describes, and whether it writes an index of a folder.
  case paths, index
  /// The results that a picture shows, and the picture's extent, centre and size.
  case result, extent, center, size
  /// Whether a picture shows only the layers, without legend, scale bar and attribution.
  case plain
  /// An expression, and a file that contains one.
  case expression, file
  /// Whether a feed is a line along which locations are simulated, and the velocity and segment length of the
  /// simulation.
  case simulate, velocity, segment

  /// The areas for which raster cells are summarised, and the statistics.
  case areas, statistics = "stat"
  /// The column by whose values areas are grouped, and the radius of discs around points.
  case by, radius
  /// The raster of weights, and the rule that selects the cells of an area.
  case weights, cells
  /// The minimum covered fraction of a selected cell.
  case coverageThreshold = "coverage-threshold"
  /// The coverage file of the areas, and whether quantiles may be approximate.
  case coverage, approximate
  /// The dates of rasters' files, and how files are grouped by date.
  case dates, group
  /// The column of the rows' times, whether the nearest date, the last date before or the first
  /// date after a time is matched, and the maximum time between them.
  case when, match, within
  /// The time at which layers with dates are read.
  case date
  /// A condition on the cells of a date, and the maximum distance of the cells that are used where
  /// no date meets the condition.
  case valid, search
  /// Whether all dates are read, and the first and the last date that is read.
  case series, from, to
  /// Whether a killed run is continued.
  case resume
  /// The values between dates, and the statistics of several dates.
  case interpolate, reduce
  /// The size of the chunks of a store.
  case chunkSize = "chunk-size"
  /// The layout of the output: one row per class, one column per class, or one row per statistic.
  case classes, wide, long

  /// The name of the option for a front end that does not offer it.
  public var plainName: String { Self.plainNames[self] ?? rawValue }

  package static let plainNames: [Setting: String] = [
    .layer: "the layer",
    .xColumn: "the column of x",
    .yColumn: "the column of y",
    .crs: "the CRS",
    .outCRS: "the output's CRS",
    .unit: "the unit",
    .geodesic: "geodesic measuring",
    .input: "the input",
    .features: "the features",
    .distance: "the distance",
    .distanceField: "the column of distances",
    .maxDeviation: "the largest deviation",
    .curve: "the curve of edges",
    .union: "the union",
    .types: "the types of columns",
    .threads: "the number of threads",
    .bounds: "the extents",
    .layout: "the encoding of areas",
    .encoding: "the encoding of text",
    .strict: "strict mode",
    .allowOutside: "access outside the folder",
    .allowHost: "an entry of the host",
    .token: "a token",
    .overwrite: "overwriting",
    .table: "the table",
    .output: "the output's path",
    .format: "the output's format",
    .id: "the column of ids",
    .time: "the column of times",
    .maxAhead: "the limit of times ahead of the clock",
    .picture: "the picture",
    .network: "the network",
    .valveLayer: "the layer of valves",
    .type: "the type",
    .start: "the start",
    .barrier: "the barrier",
    .filterBarrier: "the filter barrier",
    .filterCategory: "the category of filter barriers",
    .inoperable: "the inoperable valve",
    .oneWay: "the direction of flow",
    .shapes: "the shapes",
    .includeIsolated: "the list of isolated elements",
    .cost: "the cost",
    .domain: "the domain network",
    .tier: "the tier",
    .request: "the trace request",
    .segments: "isolation segments",
    .condition: "the condition",
    .filter: "the filter",
    .whereClause: "the condition on features",
    .pixel: "columns and rows",
    .feature: "the file of features",
    .at: "a point",
    .location: "a location",
    .fence: "the file of fences",
    .rasters: "the rasters",
    .map: "the map",
    .points: "a table of points",
    .pointsLayer: "the layer of the table of points",
    .pixels: "a table of cells",
    .layers: "the numbers of layers",
    .tolerance: "the tolerance",
    .scale: "the scale",
    .maxResults: "the number of results",
    .popupsOnly: "popups alone",
    .band: "the bands",
    .resampling: "the resampling",
    .scaled: "scaled values",
    .cache: "the memory for tiles",
    .once: "a single use of tiles",
    .names: "the names",
    .fields: "the names of columns",
    .status: "the column of statuses",
    .provenance: "the columns of provenance",
    .connections: "the number of connections",
    .access: "access to files",
    .feed: "the feed",
    .fences: "the fences",
    .rasterFence: "fences from rasters",
    .area: "the area",
    .rule: "the rule",
    .buffer: "the buffer",
    .accuracy: "the accuracy of locations",
    .relationship: "the relationship",
    .feedFilter: "the filter of locations",
    .dwell: "the dwell time",
    .cooldown: "the cooldown time",
    .forget: "the time without locations",
    .crossings: "the report of crossings",
    .noInitial: "the omission of first events",
    .message: "the message",
    .name: "the name",
    .explain: "the explanation",
    .append: "appending",
    .result: "the results",
    .extent: "the extent",
    .center: "the centre",
    .size: "the size",
    .plain: "the layers alone",
    .expression: "the expression",
    .file: "the file of the expression",
    .paths: "the files",
    .index: "the index",
    .simulate: "the simulation",
    .velocity: "the velocity",
    .segment: "the length of segments",
    .by: "the column of groups",
    .radius: "the radius",
    .weights: "the raster of weights",
    .cells: "the rule for cells",
    .coverageThreshold: "the minimum covered fraction",
    .coverage: "the coverage file",
    .approximate: "approximate quantiles",
    .classes: "a row for each class",
    .wide: "a column for each class",
    .long: "a row for each statistic",
    .dates: "the dates of files",
    .group: "the grouping of dates",
    .date: "the date of layers with dates",
    .when: "the column of the rows' times",
    .match: "the side of dates",
    .within: "the largest distance of a date from the time",
    .valid: "the condition on cells",
    .search: "the search distance for other cells",
    .interpolate: "interpolation between dates",
    .reduce: "the statistics of dates",
    .chunkSize: "the size of chunks",
    .series: "the series of dates",
    .resume: "the continuation of killed runs",
    .from: "the first date",
    .to: "the last date",
    .areas: "the areas",
    .statistics: "the statistics",
  ]
}
