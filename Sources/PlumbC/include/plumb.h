/* Plumb's C interface: samples rasters, identifies map layers, computes areas around shapes, traces
   networks and monitors fences. Inputs and results are arrays of the caller.

   Calls. Every function except plumb_version, plumb_error_code, plumb_error_message,
   plumb_status_name and plumb_free returns PLUMB_OK, or another number after an error. The error is
   then stored for the calling thread. A call first sets each out parameter to null, or to a
   released structure. An out parameter has a value only after PLUMB_OK.

   Threads. Every function may be called from any thread at any time. A handle may be used by many
   threads concurrently, and may be closed while other calls use it: these calls finish first. Long
   work runs on the number of threads given in the options. All of these threads have ended when the
   call returns, and all signals except those of faults are blocked in them. No call holds a lock
   during a callback. Work that cannot be cancelled immediately, such as reading features, may
   continue briefly after its call has returned, on copies of its inputs.

   Handles. A handle is an opaque pointer that contains the number of a table entry and is never
   dereferenced. A handle that is closed, null or invalid gives an error.

   Callbacks. While a call works, it calls the function `poll` on the calling thread at least every
   100 ms. A call that ends sooner does not call it. `poll` may be null. If it returns a value other
   than 0, the call ends with PLUMB_CANCELLED within 200 ms and releases all its resources. The
   content of the caller's arrays is then undefined. A cancelled call that passes locations to a
   monitor may have processed some of the locations, whose events are lost.

   Strings. All strings are UTF-8 with a terminating zero byte. Free the strings that a call returns
   with plumb_free. The caller's strings must be valid until the call returns. Options are one JSON
   object, or null for no options. An unknown member is an error.

   Arrays. The caller's arrays must be valid, and no other code may write to them, until the call
   returns.

   Fork. A process that is forked after the library was loaded cannot use it: each call in that
   process returns the error `forked`. A process that was forked before, and then loads the library
   with `dlopen`, can use all functions.

   Files. As in the command `plumb`, documents and rasters may refer only to files in their own
   folder. They may refer to a network only if their own name refers to a network (a URL,
   `/vsicurl/`, `/vsis3/`). The option "access": "anywhere" lifts these limits. Unlike the command,
   the library does not put its process into a sandbox. The library prints nothing, handles no
   signals, and sets no environment variables.

   Helpers. Features in formats other than GeoPackage, FlatGeobuf, Shapefile, GeoJSON and CSV, and
   rasters of maps in formats other than GeoTIFF, NetCDF, HDF5, GRIB and Zarr, are read in separate
   processes of the program `plumb-reader`. The program is in the folder of the library, or at the
   path in the environment variable PLUMB_READER. These processes end with the caller's process,
   which waits for them.

   Coordinates. x is always easting or longitude, and y is northing or latitude, regardless of the
   order of axes in a CRS (coordinate reference system). A `crs` is any definition that PROJ
   accepts, such as EPSG:4326, WKT or PROJJSON. */

#ifndef PLUMB_H
#define PLUMB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, incremented when a function or structure changes. */
#define PLUMB_INTERFACE 1

/* Return values. */
#define PLUMB_OK 0
#define PLUMB_FAILED 1
#define PLUMB_CANCELLED 2

/* The status bytes of a point in a column. */
#define PLUMB_STATUS_OK 0
#define PLUMB_STATUS_NODATA 1
#define PLUMB_STATUS_MASKED 2
#define PLUMB_STATUS_OUTSIDE 3
#define PLUMB_STATUS_TRANSFORM_FAILED 4
#define PLUMB_STATUS_READ_ERROR 5
#define PLUMB_STATUS_BAD_POINT 6

/* Handles. */
typedef struct plumb_sampler plumb_sampler;
typedef struct plumb_map plumb_map;
typedef struct plumb_network plumb_network;
typedef struct plumb_monitor plumb_monitor;
typedef struct plumb_memory plumb_memory;

/* A function that the library calls while a call works.

   fraction: the completed fraction of the work, from 0 to 1; negative while unknown.
   Returns 0 to continue. Any other value cancels the call. */
typedef int (*plumb_poll)(void *context, double fraction);

/* The structures of the Arrow C data interface, as specified. The schema and the array that a call
   fills in belong to the caller, which calls `release` of both, from any thread, when they are no
   longer needed. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif

/* ------------------------------------------------------------------ the library and its errors */

/* Returns the library's version, such as "0.3.0", which must not be freed. */
const char *plumb_version(void);

/* Returns the value of PLUMB_INTERFACE in the loaded library. */
int plumb_interface(void);

/* Returns the error code of the calling thread's last call. It is a word that is stable across
   versions, or an empty string after a call without error. The string is valid until the thread's
   next call. The library has the codes not_found, exists, not_allowed, bad_input, bad_option,
   bad_expression, ambiguous, limit, unsupported, strict, system, failed, missing_library,
   bad_point, transform_failed, read_error, load_failed, no_reference, bad_condition, bad_layer,
   no_popups and bad_query; this interface adds
     null_argument   a required pointer is null
     bad_argument    an argument has an invalid value
     closed_handle   the handle is closed, or of another kind
     cancelled       a poll cancelled the call
     forked          the process was forked after the library was loaded */
const char *plumb_error_code(void);

/* Returns the error message and a hint in one line. The string is valid until the thread's next
   call. */
const char *plumb_error_message(void);

/* Returns the warnings of the calling thread's last call as a JSON array of strings. The next call
   discards the warnings. Warnings of GDAL are included, but are collected for the whole process. If
   calls run concurrently on several threads, a call may report GDAL's warnings of another call. */
int plumb_take_warnings(char **json);

/* Frees a string returned by a call; null is ignored. */
void plumb_free(char *text);

/* Returns the name of a status byte, such as "outside"; empty for an invalid byte. The string must
   not be freed. */
const char *plumb_status_name(uint8_t status);

/* ------------------------------------------------------------------ coordinate reference systems */

/* Describes a CRS: {"label","definition","authority","code","geographic","unit","wkt"}. label is a
   short display name, such as "EPSG:4326". definition is the definition that the library uses.
   authority and code are null if they are unknown. */
int plumb_crs_describe(const char *crs, char **json);

/* Determines whether two CRSs are equal for coordinates in the order x, y.

   same: 1 or 0. */
int plumb_crs_same(const char *first, const char *second, int *same);

/* ------------------------------------------------------------------ the content of a file */

/* Returns the output of `plumb info PATH --of json`, without the final newline, for a raster, a
   folder or pattern of tiles, a map, a network, a file of features, or a feed. For a raster, the
   output is identical. For the other kinds of files, "use" contains plain words instead of the
   command's verbs (subcommands).

   options: {
     "access": "folder"       The files that documents may name: those in their folder, or all.
                              Default: folder. One of folder, anywhere; case and hyphens are
                              ignored.
   } */
int plumb_info(
    const char *path, const char *options, plumb_poll poll, void *context, char **json);

/* ------------------------------------------------------------------ rasters at points */

/* Opens rasters to sample together.

   rasters: `count` rasters. Each is a file, NAME=PATH, a folder of tiles, a pattern or a URL, as in
     the command. A folder or pattern is one mosaic.
   options: {
     "pixels": false          Whether the points are columns and rows of the cells, counted from 0
                              at the outer corner of the first cell.
     "bands": [1]             Bands, from 1. Default: all.
     "method": "nearest"      The value at a point: that of its cell, or a double interpolated
                              from 4 or 16 cells. Default: nearest. One of nearest, bilinear,
                              cubic; case and hyphens are ignored.
     "scaled": false          Apply scale and offset; the values are then doubles.
     "cache": 536870912       Memory for decoded tiles. Default: 512 MB. In bytes.
     "once": false            Do not keep tiles after the call; for a sampler that is called once.
     "names": ["name"]        A name for each raster; an empty name selects the default. Rasters
                              are then paths without NAME=.
     "dates": ["pattern"]     The dates of the rasters' files: a pattern for their names without
                              extension, such as MOD13Q1_%Y%j, with the codes of strptime and the
                              wildcards * and ?; tag:ITEM, a metadata item such as an acquisition
                              time; or a CSV file with the columns file, date and optionally end.
                              May be repeated. Variables of arrays (FILE#VARIABLE) and assets of
                              STAC items (FILE.json#ASSET) have their own dates.
     "group": "group"         The files of one date: those of equal time, or those of one day in
                              UTC. Default: time; day for STAC items, and if files cover different
                              areas. One of time, day; case and hyphens are ignored.
     "threads": N             The number of threads. Default: one per processor.
     "connections": 8         The maximum number of simultaneous requests to servers in the
                              process. Default: 8.
     "access": "folder"       The files that documents may name: those in their folder, or all.
                              Default: folder. One of folder, anywhere; case and hyphens are
                              ignored.
   } */
int plumb_sampler_open(
    const char *const *rasters, int64_t count, const char *options, plumb_poll poll, void *context,
    plumb_sampler **handle);

/* The columns that plumb_sample fills in, in order:

   {"columns":[{"name","raster","band","dtype","stored_dtype","alpha","nodata","scale","offset",
     "unit","description"}...],
    "rasters":[{"name","files":[...],"columns":[from 0...],"crs":{as plumb_crs_describe, without
     "wkt"}|null,"dates":["2025-03-22"...]}...],
    "crs":{...}|null, "method", "scaled", "threads"}
   name is the column name that the command prints. dtype is NumPy's name of the type (complex_int16
   and complex_int32 are pairs of int16 and int32). raster counts from 0, band from 1. nodata is
   null if the band has no nodata value. Rasters that were opened with "dates" have the dates of their
   files. Values that JSON numbers cannot represent are strings. The
   outer crs is the CRS of points without a CRS. It is null if the CRSs of the rasters differ, or if
   the rasters have no CRS. */
int plumb_sampler_describe(const plumb_sampler *handle, char **json);

/* The buffers for the results of one column. */
typedef struct plumb_column {
  /* n values of the column's dtype, in native byte order and aligned for the dtype; null to omit
     them. The value is undefined unless its status is PLUMB_STATUS_OK. */
  void *values;
  /* n status bytes; null to omit them. */
  uint8_t *statuses;
} plumb_column;

/* The cells from which a raster's values were read. Each array has n numbers; -1 means that a point
   has no cell. A null pointer omits the array. */
typedef struct plumb_cells {
  int32_t *file;   /* from 0, in the order of "files" */
  int32_t *column; /* from 0 at the left */
  int32_t *row;    /* from 0 at the top */
} plumb_cells;

/* Reads all columns at n points. Each tile is read once per call; tiles that fit into the cache are
   kept for later calls.

   x, y: n doubles each, in `crs`, or in the rasters' CRS if `crs` is null. A point with a
     coordinate that is not finite has PLUMB_STATUS_BAD_POINT. n is at most 2^32 - 2.
   columns: the buffers of `column_count` columns, as many as plumb_sampler_describe lists.
   cells: one element per raster; null to omit the cells. */
int plumb_sample(
    const plumb_sampler *handle, const double *x, const double *y, int64_t n, const char *crs,
    const plumb_column *columns, int64_t column_count, const plumb_cells *cells, plumb_poll poll,
    void *context);

/* Reads the values of dates at n points, like `plumb identify --when` or `--series`, from rasters
   that were opened with "dates". Each tile is read at most once per call.

   x, y, crs: as for plumb_sample.
   times: n times in microseconds since 1970-01-01T00:00:00Z, INT64_MIN for a point without a time.
     A date without a time of day counts as noon. Null with "series".
   options: {
     "match": "nearest"       The matching date: the nearest date (if two are equally near, the
                              earlier one), the last date before, or the first date after the
                              time. Default: nearest. One of nearest, before, after; case and
                              hyphens are ignored.
     "within": "16d"          The largest distance of a date from the time, with the unit s, min,
                              h, d or w.
     "valid": "condition"     Use only dates whose cells meet this condition on the rasters, such
                              as (qa & 3) = 0. It has the operators & | ^ << >> on integers.
     "search": "length"       Where no date is valid at the point, use the nearest cell on the
                              ground that has a valid date, within this distance, for example
                              500m. Adds a column NAME_distance, in metres.
     "interpolate": "interpolate" Return the value on the line between the nearest dates with a
                              value before and after the time, both at a distance of at most
                              within. One of linear; case and hyphens are ignored.
     "reduce": "name,..."     Return statistics of the values of all dates at a distance of at
                              most within from the time: mean, min, max, count and slope (per day,
                              by least squares), separated by commas.
     "series": false          Read all dates: one column for each date of a raster.
     "start": "date"          The first date of the series.
     "end": "date"            The last date of the series, inclusive.
     "status": false          Add a column NAME_status.
     "provenance": false      Add columns NAME_file, NAME_row and NAME_column.
     "strict": false          Fail on uncertain transformations, warnings about layers, and rows
                              whose values cannot be read.
   }
   schema, array: a struct array with the columns of the command, in its order: values in the types
     of the bands, or double; NAME_date (date32, or timestamp in microseconds in UTC), NAME_days
     (double), NAME_tried (int32), NAME_status (uint8, as in plumb_column), NAME_file (large_utf8),
     NAME_row and NAME_column (int64). With "series", the metadata of a column has the keys
     plumb:stack, plumb:band (from 1) and plumb:date. The metadata of a column of statuses has the
     key plumb:kind with the value status. */
int plumb_sample_dates(
    const plumb_sampler *handle, const double *x, const double *y, const int64_t *times, int64_t n,
    const char *crs, const char *options, plumb_poll poll, void *context,
    struct ArrowSchema *schema, struct ArrowArray *array);

int plumb_sampler_close(plumb_sampler *handle);

/* ------------------------------------------------------------------ maps */

/* Opens a map document.

   options: {
     "bands": [1]             Bands, from 1. Default: all.
     "method": "nearest"      The value at a point: that of its cell, or a double interpolated
                              from 4 or 16 cells. Default: nearest. One of nearest, bilinear,
                              cubic; case and hyphens are ignored.
     "cache": 536870912       Memory for decoded tiles. Default: 512 MB. In bytes.
     "threads": N             The number of threads. Default: one per processor.
     "connections": 8         The maximum number of simultaneous requests to servers in the
                              process. Default: 8.
     "access": "folder"       The files that documents may name: those in their folder, or all.
                              Default: folder. One of folder, anywhere; case and hyphens are
                              ignored.
   } */
int plumb_map_open(
    const char *path, const char *options, plumb_poll poll, void *context, plumb_map **handle);

/* Describes the map, with the same output as plumb_info. */
int plumb_map_describe(const plumb_map *handle, char **json);

/* Identifies the layers at a point. Returns exactly the output of
   `plumb identify MAP --at X,Y --of json`, without the final newline.

   crs: the point's CRS; null for the map's CRS.
   options: {
     "layer": "layer"         Identify only the layer with this id.
     "tolerance": "length"    The radius of the circle around the point, for example 50m, or 12px
                              with scale. Default: 0.
     "scale": 50000           The denominator of the scale. With it, symbol sizes and the scale
                              ranges of layers apply.
     "max_results": 1         The maximum number of elements of a layer, or all. Default: 1.
     "popups_only": false     Return popups instead of elements; layers without popups are
                              omitted.
     "where": "condition"     Identify only the features of layer that meet a condition.
     "strict": false          Fail on uncertain transformations, warnings about layers, and rows
                              whose values cannot be read.
   } */
int plumb_map_identify(
    const plumb_map *handle, double x, double y, const char *crs, const char *options,
    plumb_poll poll, void *context, char **json);

/* Identifies the layers at n points. Returns a struct array with one row per point, in the order of
   the points, and the columns that `plumb identify MAP --points` adds. A feature layer has the
   columns LAYER.count (int64) and LAYER.FIELD, with a field of the topmost feature. A raster layer
   has the column LAYER or LAYER_BAND in the type of the band, which is null at a point without a
   value. Fields are int64, double, bool or large_utf8. Complex values are large_utf8.

   For raster layers, "status" adds LAYER_status (utf8), and "provenance" adds LAYER_file (utf8),
   LAYER_row and LAYER_column (int64).

   options: {
     "layer": "layer"         Identify only the layer with this id.
     "tolerance": "length"    The radius of the circle around the point, for example 50m, or 12px
                              with scale. Default: 0.
     "scale": 50000           The denominator of the scale. With it, symbol sizes and the scale
                              ranges of layers apply.
     "max_results": 1         The maximum number of elements of a layer, or all. Default: 1.
     "popups_only": false     Return popups instead of elements; layers without popups are
                              omitted.
     "where": "condition"     Identify only the features of layer that meet a condition.
     "scaled": false          Apply scale and offset; the values are then doubles.
     "status": false          Add a column NAME_status.
     "provenance": false      Add columns NAME_file, NAME_row and NAME_column.
     "fields": ["layer.field"] The columns to return, in order.
     "strict": false          Fail on uncertain transformations, warnings about layers, and rows
                              whose values cannot be read.
   } */
int plumb_map_identify_batch(
    const plumb_map *handle, const double *x, const double *y, int64_t n, const char *crs,
    const char *options, plumb_poll poll, void *context, struct ArrowSchema *schema,
    struct ArrowArray *array);

int plumb_map_close(plumb_map *handle);

/* ------------------------------------------------------------------ areas around shapes */

/* Shapes as concatenated WKB, ISO or PostGIS. */
typedef struct plumb_shapes {
  /* The bytes of all shapes; may be null if no shape has bytes. */
  const uint8_t *bytes;
  /* count + 1 positions in `bytes`: shape i ends where shape i + 1 begins. The first position need
     not be 0, as in an Arrow array with an offset. */
  const int64_t *offsets;
  /* A byte per shape, 0 for a null shape; a null pointer if no shape is null. A shape without bytes
     is also a null shape. */
  const uint8_t *valid;
  int64_t count;
} plumb_shapes;

/* Computes the areas within a distance of shapes, like `plumb buffer`.

   distances: at most one per shape. If there are fewer distances, the last distance applies to all
     following shapes.
   options: {
     "crs": "crs"             The coordinate reference system of the shapes. Default: the SRID of
                              the first shape; all shapes must have the same SRID. Without SRIDs,
                              it is unknown.
     "unit": "unit"           The unit of the distances. One of m, km, ft, us-ft, mi, nmi, deg;
                              case and hyphens are ignored.
     "geodesic": false        Measure along the ellipsoid instead of in the plane of the CRS.
     "max_deviation": 0.5     The largest deviation of the outline from the true one, in metres.
                              Default: the lesser of 0.2 % of the distance and 0.01.
     "curve": "geodesic"      The curve of the input's edges between their vertices. Default:
                              geodesic. One of geodesic, loxodrome, great-elliptic,
                              normal-section, shape-preserving; case and hyphens are ignored.
     "union": false           Join all areas into one, without attributes.
     "out_crs": "out-crs"     The coordinate reference system of the areas. Default: that of the
                              shapes.
     "strict": false          Fail on uncertain transformations, and if the shape of a feature
                              cannot be used.
     "bounds": false          Add the extent of each area.
     "layout": "wkb"          The encoding of areas. Default: wkb. One of wkb, geoarrow; case and
                              hyphens are ignored.
     "threads": N             The number of threads. Default: one per processor.
   }
   schema, array: a struct array with one row per shape. With "union", it has one row for all
     shapes, and no row without shapes. The columns are:
     geometry  large_binary, ISO WKB, or with "geoarrow" geoarrow.multipolygon: a large list of
               polygons, each a list of rings, each a list of vertices, which are x and y; null
               for a shape without an area
     status    uint8: 0 the area is computed, 1 the shape is null or empty, 2 the shape is unusable,
               3 the area is empty
     xmin, ymin, xmax, ymax
               double, the extent of the area; only with "bounds"
   The warnings contain the reason for each unusable shape, with its number counted from 0. */
int plumb_buffer(
    const plumb_shapes *shapes, const double *distances, int64_t distance_count, const char
    *options, plumb_poll poll, void *context, struct ArrowSchema *schema, struct ArrowArray *array);

/* ------------------------------------------------------------------ cells under shapes */

/* Computes statistics of the raster cells under shapes, like `plumb zonal`.

   groups: a number per shape. Shapes with equal numbers are one area. Null if each shape is an
     area.
   rasters: `raster_count` rasters, each a file or NAME=PATH.
   options: {
     "names": ["name"]        A name for each raster; an empty name selects the default. Rasters
                              are then paths without NAME=.
     "crs": "crs"             The coordinate reference system of the shapes. Default: the SRID of
                              the first shape; all shapes must have the same SRID. Without SRIDs,
                              it is unknown.
     "cache": 536870912       Memory for decoded tiles. Default: 512 MB. In bytes.
     "radius": "length"       The radius on the ground of the discs around points, for example 50m
                              or 2km.
     "cells": "exact"         The cells that count: each by its covered fraction (exact), those
                              whose centre is in the area (center), or all that the area touches
                              (all-touched). Default: exact. One of exact, center, all-touched;
                              case and hyphens are ignored.
     "coverage_threshold": 0  Ignore cells with a smaller covered fraction.
     "coverage": "file"       A file of the covered cells: written by the first run, and read by
                              later runs with the same areas, grid and rule for cells.
     "stat": "name,..."       count, sum, mean, min, max, range, median, quantile:Q, stdev,
                              variance, cv, variety, majority, minority, area, coverage, values,
                              coverages, frac, min_center, max_center, weighted_mean, weighted_sum
                              and weighted_stdev, separated by commas. Default:
                              count,mean,min,max.
     "bands": [1]             Bands, from 1. Default: all.
     "weights": "raster"      The weights of the cells: a raster, or area for their areas on the
                              ground. Used by weighted_mean, weighted_sum and weighted_stdev.
     "approximate": false     Do not use a temporary file for quantiles of areas with millions of
                              different values. The column NAME_rank_error has their error.
     "scaled": false          Apply scale and offset to the values.
     "classes": false         Write one row per area and class of cells, with its count, area in
                              m² and share.
     "dates": ["pattern"]     The dates of the rasters' files, as for identify. Each date has its
                              own columns, NAME_DATE_STAT. May be repeated.
     "group": "group"         The files of one date: those of equal time, or those of one day in
                              UTC. Default: time; day for STAC items, and if files cover different
                              areas. One of time, day; case and hyphens are ignored.
     "start": "date"          The first date that is read.
     "end": "date"            The last date that is read, inclusive.
     "wide": false            With classes, write one column per class instead of one row.
     "long": false            Write one row per area, raster, band and statistic.
     "strict": false          Fail on uncertain transformations, and if an area has to be repaired
                              or cannot be used.
     "threads": N             The number of threads. Default: one per processor.
   }
   schema, array: a struct array. The first column, row (int64), is the number of the shape, counted
     from 0, or the number of the group. The other columns are the columns that the command adds, as
     int64, double or large_utf8. Lists are JSON text. With "dates" and "long", each date has its own
     rows, with the column date. */
int plumb_zonal(
    const plumb_shapes *shapes, const int64_t *groups, const char *const *rasters,
    int64_t raster_count, const char *options, plumb_poll poll, void *context,
    struct ArrowSchema *schema, struct ArrowArray *array);

/* ------------------------------------------------------------------ utility networks */

/* Opens an EPANET file or a network document.

   options: {
     "valve_layer": "file"    A table of an EPANET network's isolation valves with the columns
                              link and node, and optionally status (open, closed) and operable (1,
                              0, true, false, yes, no). These valves may be closed unless filter
                              or filter_category selects others.
     "crs": "crs"             The coordinate reference system of a network that has none, for
                              example EPSG:28992. GeoJSON is then written in WGS84.
     "strict": false          Fail if the network has faulty features, such as one without a shape
                              or with an empty or duplicate id. By default they are omitted with a
                              warning.
     "access": "folder"       The files that documents may name: those in their folder, or all.
                              Default: folder. One of folder, anywhere; case and hyphens are
                              ignored.
   } */
int plumb_network_open(
    const char *path, const char *options, plumb_poll poll, void *context,
    plumb_network **handle);

/* Describes the network, with the same output as plumb_info. */
int plumb_network_describe(const plumb_network *handle, char **json);

/* Traces the network, or divides it into segments. Returns exactly the output of
   `plumb trace NETWORK ... --of json`, without the final newline.

   options: {
     "type": "type"           The type of the trace. One of connected, subnetwork,
                              subnetwork-controllers, upstream, downstream, loops, shortest-path,
                              isolation; case and hyphens are ignored.
     "start": ["ref"]         An element or point where the trace starts; may be repeated.
     "barrier": ["ref"]       An element that stops the trace; may be repeated.
     "filter_barrier": ["ref"] An element that may be closed, a valve or a point on a pipe; may be
                              repeated.
     "filter_category": "name" A category whose elements may be closed.
     "filter": "sql"          A condition; elements that meet it may be closed.
     "condition": "sql"       A condition that stops the trace, in addition to the tier's
                              configuration.
     "inoperable": ["ref"]    A valve that cannot be closed; the isolation uses valves beyond it.
                              May be repeated.
     "one_way": "hold"        Whether check valves, pumps, pressure reducing and sustaining valves
                              and directional devices hold against reverse flow or are open in
                              both directions. Default: hold. One of hold, open; case and hyphens
                              are ignored.
     "include_isolated": false List the isolated elements instead of their number.
     "cost": "attribute"      The network attribute that shortest-path sums.
     "domain": "name"         The domain network; needed when there are several.
     "tier": "name"           The tier; needed when there are several.
     "request": "file"        A trace request of UtilityNetworkServer, instead of the options: a
                              JSON file, or an object in a request to a server.
     "segments": false        Return all isolation segments: the parts between valves, regardless
                              of flow.
     "format": "json"         The format: csv only with segments, text only without them. Default:
                              json; in the command that of the output's extension, otherwise text,
                              or json with segments or a request. One of text, json, geojson, csv;
                              case and hyphens are ignored.
     "shapes": false          Add the member "geoJSON" with the elements and their shapes to a
                              result in JSON.
   }
   isolated: set to 0 if an isolation trace finds a source that no valve can cut off, and to 1
     otherwise. May be null. */
int plumb_network_trace(
    const plumb_network *handle, const char *options, plumb_poll poll, void *context, char **text,
    int *isolated);

int plumb_network_close(plumb_network *handle);

/* ------------------------------------------------------------------ geotriggers */

/* Fences passed by the caller. */
typedef struct plumb_fences {
  plumb_shapes shapes;
  /* The CRS of the shapes; null for longitude and latitude on WGS84. */
  const char *crs;
  /* The fences' attributes, as a JSON array with one object per shape. All objects have the same
     members in the same order. The members "id" and "name", in any case, are the ids and names of
     the fences, as for fences from files. Null for no attributes. The ids are then numbers from
     0. */
  const char *attributes;
  /* The monitor's name in events. */
  const char *name;
} plumb_fences;

/* Locations, column by column, in order of arrival. */
typedef struct plumb_locations {
  int64_t count;
  /* Longitudes and latitudes in degrees on WGS84. */
  const double *x;
  const double *y;
  /* Milliseconds since 1970-01-01T00:00:00Z. */
  const int64_t *time;
  /* The index of the name of each location's entity. Null if there is one name per location
     (name_count == count), or if there are no names and all locations belong to one entity. */
  const int32_t *entity;
  /* Names as UTF-8: name i is from name_offsets[i] to name_offsets[i + 1]. Equal names in several
     calls are the same entity. */
  const char *name_bytes;
  const int64_t *name_offsets;
  int64_t name_count;
  /* Accuracies are in metres, and unknown values are NaN. Each of these four arrays may be null. */
  const double *horizontal_accuracy;
  const double *vertical_accuracy;
  const double *speed;  /* metres per second */
  const double *course; /* degrees from north, clockwise */
  /* A JSON array with one object per location, all with the same members in the same order, for
     filters and messages; null for none. */
  const char *attributes;
} plumb_locations;

/* Opens a monitor of fences.

   fences: null if the options contain the fences. "where" and "area" need fences from files.
   "where", "area", "buffer", "accuracy" and "crossings" cannot be combined with "raster_fences".
   options: {
     "fences": ["file[:layer]"] The fences: a layer of an OGR source, or the address of a
                              service's layer. May be repeated.
     "raster_fences": ["path: expr"] Instead of fences, the regions of a raster where an Arcade
                              expression on the value is true. May be repeated.
     "where": "sql"           Watch only the fences that meet a condition in SQL.
     "area": [xmin, ymin, xmax, ymax] Watch only the fences that intersect a box of longitudes and
                              latitudes.
     "rule": "enter-or-exit"  The events to report. Default: enter-or-exit. One of enter, exit,
                              enter-or-exit; case and hyphens are ignored.
     "buffer": N              The distance on the ground by which fences extend beyond their
                              features. In metres.
     "accuracy": false        Treat each location as a disc with its horizontal accuracy as the
                              radius.
     "relationship": "enter-contains-and-exit-does-not-intersect" With accuracy, the rule by which
                              a disc enters and exits. Default:
                              enter-contains-and-exit-does-not-intersect. One of
                              enter-intersects-and-exit-does-not-intersect,
                              enter-contains-and-exit-does-not-contain,
                              enter-contains-and-exit-does-not-intersect; case and hyphens are
                              ignored.
     "feed_filter": "expr"    Use only the locations for which an Arcade expression on
                              $locationupdate is true.
     "dwell": N               Report an entity that has been inside a fence for this time. In
                              seconds.
     "cooldown": N            After an event, report no other event of the same entity and fence
                              for this time. In seconds.
     "crossings": false       Report the fences that an entity passed through between two
                              locations, and where it crossed their borders.
     "initial": true          Report the fences that contain an entity's first location. Default:
                              true.
     "forget": N              Forget an entity after this time without a location. In seconds.
     "message": "expr"        The text of events: an Arcade expression. Default: the fence's name.
     "name": "name"           The monitor's name in events. Default: the name of each layer of
                              fences.
     "explain": false         Add the reason to each event.
     "threads": N             The number of threads. Default: one per processor.
     "access": "folder"       The files that documents may name: those in their folder, or all.
                              Default: folder. One of folder, anywhere; case and hyphens are
                              ignored.
   } */
int plumb_monitor_open(
    const plumb_fences *fences, const char *options, plumb_poll poll, void *context,
    plumb_monitor **handle);

/* Passes locations to the monitor and returns their events.

   lines: the events as printed by `plumb monitor`, one JSON object per line; null to omit them.
   schema, array: the events as a struct array; null pointers omit the array. The columns are time
     (timestamp in ms, UTC), entity, monitor, fence, fenceId, type and message (large_utf8), x and y
     (double), and index (int64, the location's number, counted from 0 over all calls). With
     "crossings", the columns crossing_time, crossing_x, crossing_y, second_time, second_x and
     second_y follow, and with "explain", the column why (utf8). The last columns are actions and
     properties (utf8, JSON), which are null for messages without them.
   Warnings report unusable locations. */
int plumb_monitor_push(
    const plumb_monitor *handle, const plumb_locations *locations, plumb_poll poll, void *context,
    char **lines, struct ArrowSchema *schema, struct ArrowArray *array);

/* Makes the monitor read a feed of CSV, GeoJSON, GPX, NMEA or another format of locations from a
   file or a pipe; "-" is standard input. A monitor reads one feed at a time.

   options: {
     "id": "column"           The column of the entity. Default: a column with a usual name (id,
                              entity, device, vehicle_id, …); without one, all rows belong to one
                              entity.
     "time": "column"         The column of the time. Default: time or timestamp.
     "x": "column"            The column of the longitude. Default: a column with a usual name.
     "y": "column"            The column of the latitude.
     "max_ahead": N           Omit locations whose time is further ahead than this: ahead of the
                              clock in a feed from a pipe (default: 300), ahead of the following
                              locations in a file (default: no limit). In seconds.
     "simulate": false        Simulate locations along a line; the feed is EsriJSON or GeoJSON.
     "velocity": 10           The speed of simulate, with one location per second. Default: 10. In
                              metres per second.
     "segment": N             With simulate, one location at each vertex, and others between them
                              at most this far apart. In metres.
     "start": "time"          The time of the first location of simulate. Default:
                              1970-01-01T00:00:00Z.
   } */
int plumb_monitor_follow(
    const plumb_monitor *handle, const char *path, const char *options, plumb_poll poll,
    void *context);

/* Waits for the feed's next rows and returns their events, possibly none.

   more: 1 while the feed may continue; 0 at its end, without rows.
   lines, schema, array: as in plumb_monitor_push. */
int plumb_monitor_next(
    const plumb_monitor *handle, plumb_poll poll, void *context, int *more, char **lines,
    struct ArrowSchema *schema, struct ArrowArray *array);

int plumb_monitor_close(plumb_monitor *handle);

/* ------------------------------------------------------------------ tables made by the caller */

/* Memory that the caller's arrays share with the tables made from them. When its last holder
   releases the memory, the library's own code frees it, because a table may outlive the caller's
   language runtime. The following functions may also be called in a forked process. A released
   pointer must not be used again. */

/* Allocates `size` bytes of undefined content, with one holder. */
int plumb_memory_new(int64_t size, plumb_memory **memory, void **bytes);

/* Takes ownership of an array, with one holder. The producer's structure is marked as released, and
   *held points to the array. */
int plumb_memory_of_array(
    struct ArrowArray *array, plumb_memory **memory, struct ArrowArray **held);

/* Releases a holder; null is ignored. */
void plumb_memory_release(plumb_memory *memory);

/* Fills in an array. The array takes ownership of its children and its dictionary, which may be
   null. It retains the owners of its buffers until it is released. */
int plumb_array_make(
    struct ArrowArray *array, int64_t length, int64_t null_count, int64_t offset,
    const void *const *buffers, int64_t buffer_count, struct ArrowArray *const *children,
    int64_t child_count, struct ArrowArray *dictionary, plumb_memory *const *owners,
    int64_t owner_count);

/* Fills in a schema with copies of the strings. The schema takes ownership of its
   children and its dictionary.

   metadata: metadata_size bytes in the encoding of the Arrow C data interface; null to omit it. */
int plumb_schema_make(
    struct ArrowSchema *schema, const char *format, const char *name, const char *metadata,
    int64_t metadata_size, int64_t flags, struct ArrowSchema *const *children,
    int64_t child_count, struct ArrowSchema *dictionary);

/* Makes a stream from a schema and arrays, and takes ownership of the schema and the arrays. */
int plumb_stream_make(
    struct ArrowSchema *schema, struct ArrowArray *const *arrays, int64_t count,
    struct ArrowArrayStream **stream);

/* Sets the function with which plumb_capsule_free gets the stream of a capsule. It must be Python's
   PyCapsule_GetPointer. Returns the required name of such capsules. The name must not be freed. */
const char *plumb_capsule_use(void *(*pointer)(void *capsule, const char *name));

/* Releases and frees the stream of a capsule. It is the destructor of capsules that contain a
   stream from plumb_stream_make. */
void plumb_capsule_free(void *capsule);

#ifdef __cplusplus
}
#endif

#endif
