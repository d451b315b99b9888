"""The rules of measurement on the page."""

RULES = """\
## Rules

- "Cold" means a new process whose files are in the page cache. The time
  includes the start of the process, imports, reading the points and writing
  the results.
- (d) and (e) are timed inside the process, with all tiles or the whole array
  in memory, from x and y to values. For (e), the time is that of one call.
- Rivals have their best settings. rasterio reads whole rasters with
  `num_threads='ALL_CPUS'`. `sample` and gdallocationinfo receive their points
  in block order. `GDAL_CACHEMAX` is large enough for the whole raster. Writing
  the input of gdallocationinfo and reading its output is not timed. Of the
  rivals, only polars has to mark cells without a value and to detect points
  outside the raster; Plumb always does both.
- "numpy on all cores" in (d) is the same numpy code on blocks that fit into
  the cache, distributed over a pool of threads.
- The bare limits: libtiff only decodes the tiles that contain a point, on all
  cores; int16 values are gathered from memory by known indices, on all cores.
- A rival that needs more than five times as long as the fastest rival runs
  only once.
- CPU time and peak memory are those of the whole process, from `wait4`.
- (j) to (m) are timed inside the process, in a new process for each round,
  from existing inputs in memory (points, polygons, arrays of numbers) to the
  last result in memory, with all polygons created. CPU time is that of this
  work only. Peak memory is that of the process until its end, including the
  inputs.
- In (k), the chunks of "on all cores" are squares of neighbouring circles,
  each joined by `disjoint_subset_union_all`; the resulting parts are then
  joined. In (l), a tree of points is queried with prepared polygons. If the
  index exists beforehand, so do the prepared polygons. In (m), pyproj writes
  into existing arrays of points, one element per vertex. Only its last
  contender creates polygons, as Plumb does.
- Shapes are equal if their areas agree to 1e-9. For unions, the numbers of
  parts and holes, and all but 1e-9 of the ground, must also agree. The
  vertices of buffers must agree to 1e-9 of the radius. The vertices of
  geodesic buffers must be at the distance according to pyproj, to 1e-6 m.
  Pairs of points and polygons must be identical.
- (n) is a whole command, cold as above. It reads a table of points, a
  GeoPackage and a GeoTIFF, and writes the table with all results. Rivals read
  polygons through Arrow, and read polygons, raster and points in parallel.
  polars reads and writes the tables. The points or polygons of a join are
  distributed over one thread per core. All results are compared: the number of
  polygons that contain each point, including borders, the fields of the last
  of them, cells and their nodata, and the input's columns byte for byte.
- (n-one) and (n-reach) are timed inside the process, one call after the other,
  with all layers in memory and after one call for each point. The time is the
  mean. The map has three layers of features, a map image layer with two more
  layers, and a raster. GeoPandas has the same layers, with an existing
  `sindex`, and returns rows without ground distances. The number of elements
  of each layer at each point is compared.
- (p) is a city whose points and lines are in a GeoPackage with a plain
  mapping; ids are text. (p-load) is a whole command, cold as above. All other
  workloads are timed inside the process, with the network loaded and after one
  call. The graphs of igraph and scipy also exist beforehand, except those of
  (p-segments), which are cut at the valves. Plumb's flood returns every pipe
  and the part of it that was reached, in order; the rivals return nodes.
- (p-isolation) is the time of an isolation minus the time of finding the
  controllers of the same start, each the minimum of two alternating runs. The
  result is the median over all starts. The rival of (p-isolation) has the
  segments and the valves between them. The rival of (p-isolation-whole) floods
  the network again for each start. The valves to close, the valves that need
  not be closed, and all nodes and pipes without supply are compared.
- WNTR divides an EPANET file of a similar city with 2,000 junctions. It takes
  more than twice as long for twice as many junctions, so extrapolating its
  rate is in its favour. (p-part) compares Plumb's whole command with only the
  call of WNTR, with network and valves already loaded. The segments are
  compared as sets.
- (g-few) to (g-moving) are timed inside the process, in a new process for each
  round, from existing locations in memory, in the form of each contender
  (columns, shapely's points, a GeoDataFrame, a table with steps), to the
  sorted list of events. Fences that do not move are prepared and indexed
  beforehand. Rivals receive all locations at once, sorted by entity, and find
  the stays with a single sort. Plumb receives batches of 65,536 locations in
  the order of the feed, keeps its state, and omits the distances of events,
  which the rivals do not compute. In (g-moving), all contenders create the
  fences of each second from their vertices.
- PostGIS is a separate server on a local socket, without fsync and with two
  parallel workers. Its time is that of one query. It is not in (g-moving).
- (g-live) is one process that reads lines from a pipe. One thread writes a
  line when it is due, and otherwise reads the output. The time is from the
  start of writing a line to reading its event. `cat` measures the round trip
  without any work. Events are compared with those of shapely.
- (o) is the CPU time of decoding: the user CPU time of `plumb identify` on 1 M
  random points, CSV to CSV, minus that of the same command on the same cells
  uncompressed. The limit is one thread of libtiff's `TIFFReadEncodedTile` over
  all tiles. The minimum of all rounds counts. Tiles have 512 x 512 cells.
- (q) to (u) and growth are whole commands, cold as above, from a file of
  points to a file of results. Rivals use polars for tables and rasterio on all
  cores for rasters, in several ways if there is a choice. All values are
  compared row by row, and Plumb's input columns byte for byte.
- The bare limit of (s): libdeflate only decompresses all tiles, on all cores.
- The 1,012 rasters of (s-deep) are the 92 rasters of (s-evi) under eleven
  names each. The names are links to the same files, so that all of them fit
  into the page cache. The number of decoded tiles is from the output of
  `--explain` in another run.
- (t-gpkg): all contenders read and write points with the same columns and a
  spatial index. Plumb's index is checked to contain every row. (t-postgis) is
  the same with tables of a separate server on a local socket. (t-parquet):
  polars wrote the points with its own settings, and writes its results with
  them; Plumb also writes the points as geometries with boxes. (t-jsonl) has
  no rival; it is compared with Plumb's CSV of the same points.
- The folder and the VRT of (u) have the same tiles, which are created before
  timing starts. Rivals read the VRT as a whole, or in windows on separate
  threads. Interpolated values agree to 1e-9.
- (v-far): a server on the same machine waits 30 ms before each reply, and
  counts requests and bytes. A run of tiles has no other tiles between them in
  the file. Rivals have the best settings of `/vsicurl/` for this workload.
- Results without a rival are compared with those of gdallocationinfo.
"""
