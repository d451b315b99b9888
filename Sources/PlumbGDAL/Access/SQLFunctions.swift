import PlumbCore

/// The functions that SQL in a file may call. Their results depend only on their arguments.
///
/// This is a list of allowed functions, because GDAL, SpatiaLite and extensions add functions that
/// read files, fetch addresses and load code.
enum SQLFunctions {
  static func isAllowed(_ name: String) -> Bool { allowed.contains(ByteName(name.lowercasedASCII)) }

  private static let allowed = Set(
    (core + aggregates + windows + dates + mathematics + json + geometry).split(separator: " ")
      .map { ByteName($0) })

  private static let core = """
    abs cast changes char coalesce format glob hex ifnull iif instr last_insert_rowid length like \
    likelihood likely lower ltrim match max min nullif octet_length printf quote random randomblob \
    regexp replace round rtrim sign soundex substr substring trim typeof unhex unicode unistr \
    unistr_quote unlikely upper sqlite_version total_changes subtype concat concat_ws if \
    rtreecheck rtreedepth rtreenode \
    pseudo_area_from_swne intersects_bbox 
    """
  private static let aggregates = """
    avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc 
    """
  private static let windows = """
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank \
    row_number 
    """
  private static let dates = """
    date time datetime julianday strftime unixepoch timediff current_date current_time \
    current_timestamp 
    """
  private static let mathematics = """
    acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 \
    log2 mod pi pow power radians sin sinh sqrt tan tanh trunc cvt_to_bool 
    """
  private static let json = """
    json jsonb json_array jsonb_array json_array_length json_error_position json_extract \
    jsonb_extract json_insert jsonb_insert json_object jsonb_object json_patch jsonb_patch \
    json_pretty json_quote json_remove jsonb_remove json_replace jsonb_replace json_set jsonb_set \
    json_type json_valid json_group_array jsonb_group_array json_group_object jsonb_group_object \
    -> ->> 
    """
  /// Functions of GDAL's own drivers.
  private static let geometry = """
    st_area st_asbinary st_asewkb st_asewkt st_astext st_buffer st_centroid st_contains \
    st_convexhull st_crosses st_difference st_disjoint st_distance st_envelope st_envintersects \
    st_equals st_geometrytype st_geomfromtext st_geomfromwkb st_intersection st_intersects \
    st_isempty st_issimple st_isvalid st_length st_makevalid st_makepoint st_maxx st_maxy st_maxz \
    st_minx st_miny st_minz st_numgeometries st_overlaps st_pointonsurface st_srid \
    st_symdifference st_touches st_transform st_union st_within st_x st_y st_z area asbinary \
    astext centroid envelope geometrytype srid geomfromtext geomfromwkb makepoint mbrmaxx mbrmaxy \
    mbrminx mbrminy mbrintersects gpkg_isassignable hstore_get_value ogr_version \
    gdal_getmimetype gdal_getbandcount gdal_hascolortable setsrid \
    ogr_gpkg_geometrytypeaggregate_internal ogr_gpkg_fillarrowarray_internal \
    ogr_gpkg_geometryextent3daggregate_internal ogr_gpkg_intersects_spatial_filter
    """
}
