import PlumbCore

extension VirtualGrammar {
  /// The names of elements and attributes of VRTs, in lower case.
  enum Names {
    /// Names whose values are coordinate reference systems, which may refer to files.
    static let references = set("srs layersrs srcsrs targetsrs sourcesrs projection")

    /// Names whose values GDAL never opens.
    static let inert = set(
      document + rasters + tables + bandSources + functions + warped + pansharpened + features)

    private static let document = """
      ?xml version encoding standalone vrtdataset ogrvrtdatasource metadata mdi domain format key 
      """
    private static let rasters = """
      rasterxsize rasterysize subclass geotransform gcplist gcp id info pixel line x y z gcpz \
      dataaxistosrsaxismapping coordinateepoch overviewlist resampling maskband vrtrasterband \
      datatype band blockxsize blockysize description unittype offset scale nodatavalue \
      hidenodatavalue colorinterp overview 
      """
    private static let tables = """
      categorynames category colortable entry c1 c2 c3 c4 gdalrasterattributetable fielddefn index \
      name type usage row f row0min binsize tabletype histograms histitem histmin histmax \
      bucketcount includeoutofrange approximate histcounts 
      """
    private static let bandSources = """
      simplesource complexsource averagedsource kernelfilteredsource nodatafrommasksource \
      sourceband sourceproperties srcrect dstrect xoff yoff xsize ysize scaleoffset scaleratio \
      colortablecomponent exponent srcmin srcmax dstmin dstmax nodata usemaskband lut kernel size \
      coefs normalized maskvaluethreshold remappedvalue imageoffset pixeloffset lineoffset byteorder 
      """
    private static let functions = """
      pixelfunctiontype pixelfunctionlanguage pixelfunctionarguments sourcetransfertype \
      bufferradius skipnoncontributingsources 
      """
    private static let warped = """
      gdalwarpoptions warpmemorylimit resamplealg workingdatatype option bandlist bandmapping src \
      dst srcnodatareal srcnodataimag dstnodatareal dstnodataimag srcalphaband dstalphaband cutline \
      cutlineblenddist transformer approxtransformer maxerror maxerrorforward maxerrorreverse \
      basetransformer genimgprojtransformer srcgeotransform srcinvgeotransform dstgeotransform \
      dstinvgeotransform reprojecttransformer reprojectiontransformer options gcptransformer \
      tpstransformer srcgcptransformer srctpstransformer srcrpctransformer dstgcptransformer \
      dsttpstransformer rpctransformer order reversed refine minimumgcps tolerance heightoffset \
      heightscale pixerrthreshold deminterpolation demmissingvalue demapplyvdatumshift \
      warpedoverviewtransformer xfactor yfactor srcovrlevel 
      """
    private static let pansharpened = """
      pansharpeningoptions algorithm algorithmoptions weights numthreads bitdepth \
      spatialextentadjustment panchroband spectralband dstband msshiftx msshifty 
      """
    private static let features = """
      ogrvrtlayer ogrvrtunionlayer ogrvrtwarpedlayer srclayer fid style geometrytype geometryfield \
      field m usespatialsubquery reportsrccolumn xmin ymin xmax ymax extentxmin extentymin \
      extentxmax extentymax srcregion clip subtype width precision nullable default unique \
      alternativename comment featurecount fieldstrategy sourcelayerfieldname preservesrcfid \
      warpedgeomfieldname attrfilterpassthrough 
      """

    /// Names whose values may be any string.
    static let freeTexts = set(
      "mdi description category f name key style comment alternativename default unittype srclayer")

    /// The classes of datasets and of bands.
    static let classes = set(
      """
      vrtwarpeddataset vrtpansharpeneddataset vrtsourcedrasterband vrtwarpedrasterband \
      vrtderivedrasterband vrtrawrasterband vrtpansharpenedrasterband
      """
    ).union([ByteName("")])

    /// Options of warping and of coordinate operations. None of them has a file name as its value.
    static let options = set(
      """
      init_dest error_out_if_empty_source_window write_flush skip_nosource unified_src_nodata cutline cutline_blend_dist \
      cutline_all_touched optimize_size num_threads streamable_output src_coord_precision \
      src_alpha_max dst_alpha_max sample_grid sample_steps source_extra apply_vertical_shift \
      mult_factor_vertical_shift src_fill_ratio_heuristics error_threshold use_opencl excluded_values \
      excluded_values_pct_threshold nodata_values_pct_threshold mode_ties rpc_dem_missing_value \
      area_of_interest coordinate_operation coordinate_epoch source_coordinate_epoch \
      target_coordinate_epoch allow_ballpark only_best center_long
      """)

    /// Metadata domains from which GDAL does not read file names.
    static let domains = set(
      "image_structure rpc imd color_profile envi tifftag statistics derived_subdatasets esri_xml")

    /// Metadata items whose values GDAL opens as files, in any domain.
    static let filesInMetadata = set(
      "x_dataset y_dataset overview_file overviews mask_file rpc_dem dempath")

    private static func set(_ words: String) -> Set<ByteName> {
      Set(words.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { ByteName(String($0) ?? "") })
    }
  }
}
