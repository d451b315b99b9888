"""The rules of measurement on the page."""

RULES = """\
## Rules

- "Cold" is a new process with its files in the page cache: the time includes
  the start of the process, imports, reading the points and writing the
  results.
- (d) and (e) are timed inside the process, with all tiles or the whole array
  in memory: from x and y to values; for (e) the time of one call.
- Rivals have their best settings: rasterio reads whole rasters with
  `num_threads='ALL_CPUS'`; `sample` and gdallocationinfo get their points in
  block order; `GDAL_CACHEMAX` fits the whole raster. gdallocationinfo's
  text is written and read outside its time. Of the rivals, only
  polars has to mark cells without a value and detect points outside the
  raster; Plumb always does both.
- "numpy on all cores" in (d) is the same numpy on blocks that fit the cache,
  distributed to a pool of threads.
- The bare limits: libtiff only decodes the tiles that contain a point, on all
  cores; int16 values are gathered from memory by known indices, on all cores.
- A rival that needs over five times as long as the fastest runs only once.
- CPU and peak memory are those of the whole process, by `wait4`.
- (j) to (m) are timed inside the process, once in a new one each round: from
  existing inputs in memory (points, polygons, arrays of numbers) to the last
  result in memory, with all polygons created. CPU is that of this work only,
  peak memory that of the process until its end, including the inputs.
- In (k) the chunks of "on all cores" are squares of neighbours, each joined by
  `disjoint_subset_union_all`, followed by the resulting parts. In (l) a tree
  of points is queried with prepared polygons; if the index exists, so do the
  prepared polygons. In (m) pyproj writes into its existing arrays of points,
  one element per vertex; only its last contender creates polygons, as Plumb
  does.
- Shapes are equal if areas agree to 1e-9; for unions also the numbers of parts
  and holes, and all but 1e-9 of the ground; buffers' vertices to 1e-9 of the
  radius; the vertices of geodesic buffers are at the distance by pyproj to
  1e-6 m. Pairs of points and polygons are identical.
- (n) is a whole command, cold as above: it reads a table of points, a
  GeoPackage and a GeoTIFF, and writes the table with all results. Rivals read
  polygons through Arrow, and polygons, raster and points in parallel; polars
  reads and writes the tables; the points or polygons of a join are distributed
  to a thread for each core. All results are compared: the number of polygons
  that contain each point, including borders, the fields of the last of them,
  cells and their nodata, and the input's columns byte for byte.
- (n-one) and (n-reach) are timed inside the process, one call after the other,
  with all layers in memory and after one call for each point; the time is the
  mean. The map has three layers of features, a map image layer with two more
  and a raster; GeoPandas has the same layers, with an existing `sindex`, and
  returns rows without ground distances. The number of elements of each layer
  at each point is compared.
- (p) is one city: points and lines of a GeoPackage with a plain mapping, ids
  as text. (p-load) is a whole command, cold as above; the rest is timed inside
  the process with the network loaded and after one call. The graphs of igraph
  and scipy also exist, except those of (p-segments), which are cut at the
  valves. Plumb's flood returns every pipe and the part of it that was reached,
  in order; the rivals return nodes.
- (p-isolation) is the time of an isolation minus that of finding the
  controllers of the same start, each the shortest of two in turn; and of these
  the median of all starts. Its rival has the segments and the valves between
  them; that of (p-isolation-whole) floods the network again for each start.
  The valves to close, the valves that need not be closed, and all nodes and
  pipes without supply are compared.
- WNTR divides an EPANET file of 2,000 junctions, a city of the same kind; it
  takes more than twice as long for twice as many, so its rate there flatters
  it. (p-part) is Plumb's whole command against only the call of WNTR, with
  network and valves loaded before; the segments are compared as sets.
- (g-few) to (g-moving) are timed inside the process, once in a new one each
  round: from existing locations in memory, in the form of each contender
  (columns, shapely's points, a GeoDataFrame, a table with steps), to the
  sorted list of events. Fences that do not move are prepared and have an index
  before. Rivals take all locations at once, by entity, and find the runs of
  stays in one sort; Plumb takes batches of 65,536 in the feed's order, as they
  come, keeps its state, and omits the distances of events, which rivals do not
  have. In (g-moving) all contenders create the fences of each second from
  their vertices.
- PostGIS is a separate server on a local socket, without fsync and with two
  parallel workers; its time is that of one query. It has none in (g-moving).
- (g-live) is one process that reads lines from a pipe. One thread writes a
  line when it is due and else reads the output; the time is from the beginning
  of a line's write to reading its event. `cat` measures the round trip alone.
  Events are compared with those of shapely.
- (o) is the CPU time of decoding: user CPU of `plumb identify` on 1 M random
  points, CSV to CSV, minus that of the same command on the same cells
  uncompressed; the limit is one thread of libtiff's `TIFFReadEncodedTile` over
  all tiles. The best of all rounds counts. Tiles have 512 x 512 cells.
- (q) to (u) and growth are whole commands, cold as above, from a file of
  points to a file of results. Rivals use polars for tables and rasterio with
  all cores for rasters, in several ways if there is a choice. All values are
  compared, row by row, and Plumb's input columns byte for byte.
- The bare limit of (s): libdeflate only decompresses all tiles on all cores.
- The 1,012 rasters of (s-deep) are the 92 of (s-evi) under eleven names each,
  which are links to the same files, so that all of them fit the page cache.
  The number of decoded tiles is the output of `--explain` in another run.
- (t-gpkg): points in and points out, with the same columns and a spatial index
  by all contenders; Plumb's index is checked to contain every row. (t-postgis):
  the same with tables of a separate server on a local socket. (t-jsonl)
  has no rival: it is compared with Plumb's CSV of the same points.
- The folder and the VRT of (u) have the same tiles, created before timing
  starts; rivals read the VRT, whole or in windows on separate threads.
  Interpolated values agree to 1e-9.
- (v-far): a server on the same machine that waits 30 ms before each reply and
  counts requests and bytes. A run of tiles has no other tiles between them in
  the file. Rivals have the best settings of `/vsicurl/` for them.
- Results without a rival are compared with those of gdallocationinfo.
"""
