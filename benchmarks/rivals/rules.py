"""What the page says of how everybody is measured."""

RULES = """\
## Rules

- "Cold" is a new process with its files in the page cache: the start of the
  process, the imports, reading the points and writing the answers count.
- (d) and (e) are timed inside the process, with all tiles or the whole array
  in memory. From x and y to values; for (e) the time of one call.
- Rivals have their best settings: rasterio reads whole rasters with
  `num_threads='ALL_CPUS'`; `sample` and gdallocationinfo get their points in
  block order; `GDAL_CACHEMAX` holds the raster. gdallocationinfo's text is
  written and read outside its time. No rival but polars' is asked to mark
  cells without a value or to notice points outside; Plumb does both.
- "numpy on all cores" in (d) is the same numpy on blocks that fit the cache,
  shared out to a pool of threads.
- The bare limits: libtiff decodes the tiles that hold a point, on all cores,
  and does nothing else; int16 values are picked from memory by indices known
  beforehand, on all cores.
- A rival that needs over five times as long as the fastest runs only once.
- CPU and peak memory are of the whole process, by `wait4`.
- (j) to (m) are timed inside the process, once in a new one each round: from
  inputs that are ready in memory (points, polygons, arrays of numbers) to the
  last result in memory, all polygons made. CPU is of that work alone, peak
  memory of the process until its end, inputs included.
- In (k) the chunks of "on all cores" are squares of neighbours, each joined
  by `disjoint_subset_union_all`, as the parts that they leave are then. In (l)
  a tree of points is asked with the polygons, which are prepared; where the
  index is ready, so are they. In (m) pyproj writes into its arrays of points,
  one element a vertex, which are ready before; only its last contender makes
  polygons, as Plumb does.
- Shapes count as equal when areas agree to 1e-9, unions in the numbers of
  parts and holes and in all but 1e-9 of the ground as well, buffers' vertices
  to 1e-9 of the radius, and the vertices of geodesic buffers lie at the
  distance by pyproj to 1e-6 m. Pairs of points and polygons are the same.
- (n) is a whole command, cold as above: a table of points, a GeoPackage and a
  GeoTIFF in, the table with all answers out. Rivals read polygons through
  Arrow, and polygons, raster and points beside each other; polars reads and
  writes the tables; the points or polygons of a join are shared out to a
  thread for each core. All answers are compared: how many polygons hold each
  point, borders included, the fields of the last of them, cells and their
  nodata, and the input's columns byte for byte.
- (n-one) and (n-reach) are timed inside the process, one call after the
  other, with all layers in memory and each point asked once before; the time
  is the mean. Three layers of features, a map image layer of two more and a
  raster answer; GeoPandas is asked for the same, its `sindex` made before, and
  gives rows without ground distances. Compared is how many elements each layer
  has at each point.
- (p) is one city: points and lines of a GeoPackage with a plain mapping, ids
  as texts. (p-load) is a whole command, cold as above; the rest is timed inside
  the process with the network loaded and asked once before. igraph's and scipy's
  graphs are ready as well, but those of (p-segments), which the valves cut.
  Plumb's flood gives every pipe and the part of it that was reached, in order;
  theirs gives nodes.
- (p-isolation) is the time of an isolation less that of finding the controllers
  of the same start, each the least of two in turn; of all starts, the middle
  one. Its rival has the segments and the valves between them ready; that of
  (p-isolation-whole) floods the network anew for each start. Compared are the
  valves to close, those that need not be, and all nodes and pipes without
  supply.
- WNTR divides an EPANET file of 2,000 junctions, a city of the same kind; it
  takes more than twice as long for twice as many, so its rate there flatters
  it. (p-part) is Plumb's whole command against WNTR's call alone, network and
  valves loaded before; the segments are compared as sets.
- (g-few) to (g-moving) are timed inside the process, once in a new one each
  round: from locations that are ready in memory, each contender's own kind
  (columns, shapely's points, a GeoDataFrame, a table with steps) to the sorted
  list of events. Fences that stay are ready with their index, and prepared.
  Rivals take all locations at once, by entity, and find the runs of stays in one
  sort; Plumb takes batches of 65,536 in the feed's order, as they come, with its state
  kept, and distances of events left out, which rivals do not have. In
  (g-moving) fences are made from their vertices for each second, by everybody.
- PostGIS is a server of its own on a local socket, without fsync and with two
  parallel workers; its time is that of one query. It has none in (g-moving).
- (g-live) is one process that reads lines from a pipe. One thread writes a line
  when it is due and else reads what came; the time is from the beginning of a
  line's write to when its event was read. `cat` tells what the way there and
  back takes by itself. Events are compared with those that shapely finds.
- (o) is the processor's time of decoding: user CPU of `plumb identify` on 1 M
  random points, CSV to CSV, less that of the same command on the same cells
  uncompressed; the limit is one thread of libtiff's `TIFFReadEncodedTile` over
  all tiles. Of each the best of all rounds counts. Tiles are of 512 x 512.
- (q) to (u) and growth are whole commands, cold as above, from a file of points
  to a file of answers. Rivals' tables are polars', their rasters are read by
  rasterio with all cores, in several ways where there is a choice. All values
  are compared, row by row, and Plumb's input columns byte for byte.
- The bare limit of (s): libdeflate unpacks all tiles on all cores, and nothing
  else is done.
- The 1,012 rasters of (s-deep) are the 92 of (s-evi) under eleven names each,
  which are links to the same files, so that all of them fit the page cache. How
  many tiles are decoded is what `--explain` says of another run.
- (t-gpkg): points in and points out, with the same columns and a spatial index
  made by everybody; Plumb's is checked to have every row. (t-jsonl) has no
  rival: it is held against Plumb's own CSV of the same points.
- The folder and the VRT of (u) have the same tiles, made before the clock runs;
  rivals read the VRT, whole or in windows on threads of their own. Blended
  values agree to 1e-9.
- (v-far): a server on the same machine that waits 30 ms before each answer and
  counts requests and bytes. A run of tiles is one without other tiles between
  them in the file. Rivals have the settings of `/vsicurl/` that suit them best.
- Answers that no rival gives are compared with gdallocationinfo's.
"""
