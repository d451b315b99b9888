extension HostileCase {
  private static func vrt(
    _ band: String, type: String = "", more: String = "", header: String = ""
  ) -> String {
    """
    \(header)<VRTDataset rasterXSize="2" rasterYSize="2"\(type)><SRS>EPSG:4326</SRS>
    <GeoTransform>0,1,0,2,0,-1</GeoTransform>\(more)
    <VRTRasterBand dataType="Int32" band="1"\(band.hasPrefix(" ") ? band : ">" + band)</VRTRasterBand>
    </VRTDataset>
    """
  }

  private static func source(
    _ name: String, relative: String = #" relativeToVRT="0""#, kind: String = "SimpleSource",
    more: String = ""
  ) -> String {
    "<\(kind)><SourceFilename\(relative)>\(name)</SourceFilename><SourceBand>1</SourceBand>"
      + "\(more)</\(kind)>"
  }

  private static let up = #" relativeToVRT="1""#

  private static func virtual(_ name: String, _ text: String, with: [String: String] = [:]) -> Self
  {
    .file("VRT: " + name, .raster, "v.vrt", text, with: with)
  }

  static let virtualRasters: [HostileCase] =
    [
      virtual("relative", vrt(source("{UP}/o.tif", relative: up))),
      virtual("absolute", vrt(source("{OUT}/o.tif"))),
      virtual("absolute, said to be relative", vrt(source("{OUT}/o.tif", relative: up))),
      virtual("of the working folder", vrt(source("{OUT}/../outside/o.tif", relative: ""))),
      virtual("relative as -1", vrt(source("{UP}/o.tif", relative: #" relativeToVRT="-1""#))),
      virtual("relative as YES", vrt(source("{UP}/o.tif", relative: #" relativeToVRT="YES""#))),
      virtual(
        "relative as an element",
        vrt(
          "<SimpleSource><SourceFilename><relativeToVRT>1</relativeToVRT>{UP}/o.tif</SourceFilename></SimpleSource>"
        )),
      virtual(
        "capitals", vrt("<SIMPLESOURCE><SOURCEFILENAME>{OUT}/o.tif</SOURCEFILENAME></SIMPLESOURCE>")
      ),
      virtual("numbers for letters", vrt(source("&#46;&#46;/{UP}/../outside/o.tif", relative: up))),
      virtual("CDATA", vrt(source("<![CDATA[{OUT}/o.tif]]>"))),
      virtual(
        "a comment before", vrt(source("<!-- m.tif -->{OUT}/o.tif")), with: ["m.tif": "=m.tif"]),
      virtual("blanks", vrt(source(" {OUT}/o.tif"))),
      virtual(
        "two names",
        vrt(
          "<SimpleSource><SourceFilename relativeToVRT='1'>m.tif</SourceFilename>"
            + "<SourceFilename>{OUT}/o.tif</SourceFilename></SimpleSource>"),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "an external entity",
        vrt(
          source("&x;"),
          header: "<?xml version='1.0'?><!DOCTYPE v [<!ENTITY x SYSTEM '{OUT}/secret.txt'>]>")),
      virtual("an address", vrt(source("{URL}/o.tif"))),
      virtual("/vsicurl/", vrt(source("/vsicurl/{URL}/o.tif"))),
      virtual("/vsicurl/ in an archive", vrt(source("/vsizip//vsicurl/{URL}/o.zip/o.tif"))),
      virtual("/vsisubfile/", vrt(source("/vsisubfile/0,{OUT}/o.tif"))),
      virtual("vrt://", vrt(source("vrt://{OUT}/o.tif?bands=1"))),
      virtual("GTIFF_DIR", vrt(source("GTIFF_DIR:1:{OUT}/o.tif"))),
      virtual(
        "a service in it",
        vrt(
          source(
            "&lt;GDAL_WMS&gt;&lt;Service name='TMS'&gt;&lt;ServerUrl&gt;{URL}/&lt;/ServerUrl&gt;&lt;/Service&gt;&lt;/GDAL_WMS&gt;"
          ))),
      virtual(
        "another VRT in it",
        vrt(
          source(
            "&lt;VRTDataset rasterXSize='2' rasterYSize='2'&gt;&lt;VRTRasterBand dataType='Int32' band='1'&gt;"
              + "&lt;SimpleSource&gt;&lt;SourceFilename&gt;{OUT}/o.tif&lt;/SourceFilename&gt;&lt;/SimpleSource&gt;"
              + "&lt;/VRTRasterBand&gt;&lt;/VRTDataset&gt;"))),
      virtual("memory", vrt(source("MEM:::DATAPOINTER=4096,PIXELS=2,LINES=2"))),
      virtual("a link", vrt(source("o.tif", relative: up)), with: ["o.tif": "->{UP}/o.tif"]),
      virtual(
        "a chain", vrt(source("w.vrt", relative: up)),
        with: [
          "w.vrt": vrt(source("x.vrt", relative: up)),
          "x.vrt": vrt(source("{UP}/o.tif", relative: up)),
        ]),
      virtual("itself", vrt(source("v.vrt", relative: up))),
      virtual(
        "a relative name through a link's folder", vrt(source("sub/w.vrt", relative: up)),
        with: [
          "sub": "->..", "w.vrt": vrt(source("o.tif", relative: up)),
        ]),
    ]
    + ["ComplexSource", "AveragedSource", "KernelFilteredSource", "ArraySource"].map {
      virtual($0, vrt(source("{OUT}/o.tif", kind: $0)))
    }
    + [
      virtual(
        "a mask band",
        vrt(
          source("m.tif", relative: up),
          more:
            "<MaskBand><VRTRasterBand dataType='Byte'>\(source("{OUT}/o.tif"))</VRTRasterBand></MaskBand>"
        ),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "an overview",
        vrt(
          source("m.tif", relative: up)
            + "<Overview><SourceFilename>{OUT}/o.tif</SourceFilename><SourceBand>1</SourceBand></Overview>"
        ),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "raw bytes",
        vrt(
          " subClass='VRTRawRasterBand'><SourceFilename>{OUT}/o.raw</SourceFilename><ImageOffset>0</ImageOffset>"
            + "<PixelOffset>4</PixelOffset><LineOffset>8</LineOffset>")),
      virtual(
        "raw bytes, relative",
        vrt(
          " subClass='VRTRawRasterBand'><SourceFilename relativetoVRT='1'>{UP}/o.raw</SourceFilename>"
            + "<PixelOffset>4</PixelOffset><LineOffset>8</LineOffset>")),
      virtual(
        "raw bytes of memory",
        vrt(
          " subClass='VRTRawRasterBand'><SourceFilename>/proc/self/environ</SourceFilename>"
            + "<PixelOffset>4</PixelOffset><LineOffset>8</LineOffset>")),
      virtual(
        "warped",
        """
        <VRTDataset rasterXSize="2" rasterYSize="2" subClass="VRTWarpedDataset"><SRS>EPSG:4326</SRS>
        <GeoTransform>0,1,0,2,0,-1</GeoTransform><VRTRasterBand dataType="Int32" band="1" subClass="VRTWarpedRasterBand"/>
        <BlockXSize>2</BlockXSize><BlockYSize>2</BlockYSize><GDALWarpOptions><SourceDataset>{OUT}/o.tif</SourceDataset>
        <BandList><BandMapping src="1" dst="1"/></BandList></GDALWarpOptions></VRTDataset>
        """),
      virtual(
        "warped, with a cutline",
        """
        <VRTDataset rasterXSize="2" rasterYSize="2" subClass="VRTWarpedDataset"><SRS>EPSG:4326</SRS>
        <GeoTransform>0,1,0,2,0,-1</GeoTransform><VRTRasterBand dataType="Int32" band="1" subClass="VRTWarpedRasterBand"/>
        <GDALWarpOptions><SourceDataset relativeToVRT="1">m.tif</SourceDataset>
        <Transformer><GenImgProjTransformer><SrcGeoLocTransformer><GeoLocTransformer><Metadata>
        <MDI key="X_DATASET">{OUT}/o.tif</MDI><MDI key="Y_DATASET">{OUT}/o.tif</MDI></Metadata></GeoLocTransformer>
        </SrcGeoLocTransformer></GenImgProjTransformer></Transformer></GDALWarpOptions></VRTDataset>
        """, with: ["m.tif": "=m.tif"]),
      virtual(
        "heights of a camera",
        vrt(
          source("m.tif", relative: up),
          more:
            "<Transformer><RPCTransformer><DEMPath>{OUT}/o.tif</DEMPath></RPCTransformer></Transformer>"
        ),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "pansharpened",
        """
        <VRTDataset subClass="VRTPansharpenedDataset"><PansharpeningOptions><PanchroBand>
        <SourceFilename>{OUT}/o.tif</SourceFilename><SourceBand>1</SourceBand></PanchroBand><SpectralBand dstBand="1">
        <SourceFilename>{OUT}/o.tif</SourceFilename><SourceBand>1</SourceBand></SpectralBand></PansharpeningOptions></VRTDataset>
        """),
      virtual(
        "Python",
        vrt(
          " subClass='VRTDerivedRasterBand'><PixelFunctionType>f</PixelFunctionType>"
            + "<PixelFunctionLanguage>Python</PixelFunctionLanguage><PixelFunctionCode><![CDATA[\n"
            + "def f(i,o,*a,**k): o[:]=int(open('{OUT}/secret.txt').read())\n]]></PixelFunctionCode>"
        )),
      virtual(
        "a Python module",
        vrt(
          " subClass='VRTDerivedRasterBand'><PixelFunctionType>os.system</PixelFunctionType>"
            + "<PixelFunctionLanguage>Python</PixelFunctionLanguage>"
            + source("m.tif", relative: up)),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "options of a driver",
        vrt(
          source(
            "m.tif", relative: up,
            more: "<OpenOptions><OOI key='GEOREF_SOURCES'>x</OOI></OpenOptions>")),
        with: ["m.tif": "=m.tif"]),
      virtual(
        "places",
        vrt(
          source("m.tif", relative: up),
          more: "<Metadata domain='GEOLOCATION'><MDI key='X_DATASET'>{OUT}/o.tif</MDI>"
            + "<MDI key='Y_DATASET'>{OUT}/o.tif</MDI></Metadata>"), with: ["m.tif": "=m.tif"]),
      virtual(
        "several dimensions",
        """
        <VRTDataset><Group name="/"><Dimension name="x" size="2"/><Array name="a"><DataType>Int32</DataType>
        <DimensionRef ref="x"/><Source><SourceFilename>{OUT}/o.tif</SourceFilename><SourceBand>1</SourceBand></Source>
        </Array></Group></VRTDataset>
        """),
      .file("a VRT by another name", .raster, "v.tif", vrt(source("{UP}/o.tif", relative: up))),
      .file("a VRT behind blanks", .raster, "v.asc", "\n\n" + vrt(source("{OUT}/o.tif"))),
      virtual(
        "an entity bomb",
        bomb("<VRTDataset rasterXSize='1' rasterYSize='1'><SRS>&e9;</SRS></VRTDataset>")),
      virtual("deep", String(repeating: "<a>", count: 100_000)),
      virtual(
        "huge",
        "<VRTDataset rasterXSize='2147483647' rasterYSize='2147483647'><VRTRasterBand "
          + "dataType='CFloat64' band='1' blockXSize='2147483647' blockYSize='2147483647'/></VRTDataset>"
      ),
    ]

  /// Text of several gigabytes in nested entities.
  static func bomb(_ body: String) -> String {
    let entities = (1...9).map {
      "<!ENTITY e\($0) '\(String(repeating: "&e\($0 - 1);", count: 10))'>"
    }
    return "<?xml version='1.0'?><!DOCTYPE b [<!ENTITY e0 'bombbombbomb'>\(entities.joined())]>"
      + body
  }

  private static func beside(
    _ name: String, _ side: String, _ text: String, _ outcome: Outcome = .refused
  )
    -> Self
  {
    .file(
      "next to a raster: " + name, .raster, "m.tif", "=m.tif", with: ["m" + side: text], outcome)
  }

  private static func tagged(_ name: String, _ item: String) -> Self {
    .file("in a TIFF's own metadata: " + name, .raster, "m.tif", "=m.tif " + item, .harmless)
  }

  /// Files that GDAL opens together with other files, and metadata that refers to files.
  static let sideFiles: [HostileCase] = [
    tagged("overviews on a network", "OVERVIEW_FILE OVERVIEWS /vsicurl/{URL}/o.ovr"),
    tagged("overviews of a service", "OVERVIEW_FILE OVERVIEWS WMS:{URL}/"),
    tagged("overviews outside", "OVERVIEW_FILE OVERVIEWS {OUT}/o.tif"),
    tagged("places on a network", "X_DATASET GEOLOCATION /vsicurl/{URL}/o.tif"),
    tagged("places outside", "X_DATASET GEOLOCATION {OUT}/o.tif"),
    tagged("a mask elsewhere", "MASK_FILE MASK {OUT}/o.tif"),
    beside("a link .aux.xml", ".tif.aux.xml", "->{UP}/o.tif"),
    beside("a link .ovr", ".tif.ovr", "->{UP}/o.tif"),
    beside("a link .msk", ".tif.msk", "->{UP}/o.tif"),
    beside("a link .tfw", ".tfw", "->{UP}/secret.txt"),
    beside("a link .prj", ".prj", "->{UP}/secret.txt"),
    beside("a link .aux", ".aux", "->{UP}/o.tif"),
    beside("a link .RPB", ".RPB", "->{UP}/secret.txt"),
    beside(
      "overviews on a network", ".tif.aux.xml",
      "<PAMDataset><Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>/vsicurl/{URL}/o.ovr</MDI></Metadata></PAMDataset>",
      .harmless
    ),
    beside(
      "overviews outside", ".tif.aux.xml",
      "<PAMDataset><Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>{OUT}/o.tif</MDI></Metadata></PAMDataset>",
      .harmless
    ),
    beside(
      "overviews of a service", ".tif.aux.xml",
      "<PAMDataset><Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>WMS:{URL}/</MDI></Metadata></PAMDataset>",
      .harmless
    ),
    beside(
      "a mask outside", ".tif.aux.xml",
      "<PAMDataset><PAMRasterBand band='1'><Metadata domain='MASK'><MDI key='MASK_FILE'>{OUT}/o.tif</MDI>"
        + "</Metadata></PAMRasterBand></PAMDataset>", .harmless),
    beside(
      "places outside", ".tif.aux.xml",
      "<PAMDataset><Metadata domain='GEOLOCATION'><MDI key='X_DATASET'>{OUT}/o.tif</MDI>"
        + "<MDI key='Y_DATASET'>{OUT}/o.tif</MDI></Metadata></PAMDataset>"),
    beside(
      "a reference in a file", ".tif.aux.xml",
      "<PAMDataset><SRS>+init={OUT}/secret:1</SRS></PAMDataset>"),
    beside(
      "a reference on a network", ".tif.aux.xml",
      "<PAMDataset><SRS>{URL}/srs</SRS></PAMDataset>", .harmless),
    beside(
      "an external entity", ".tif.aux.xml",
      "<!DOCTYPE p [<!ENTITY x SYSTEM '{OUT}/secret.txt'>]><PAMDataset><SRS>&x;</SRS></PAMDataset>",
      .harmless),
    beside("a bomb", ".tif.aux.xml", bomb("<PAMDataset><SRS>&e9;</SRS></PAMDataset>"), .harmless),
    beside("a VRT for overviews", ".tif.ovr", vrt(source("/vsicurl/{URL}/o.tif"))),
    beside("a VRT for overviews, outside", ".tif.ovr", vrt(source("{OUT}/o.tif"))),
    beside("a VRT for a mask", ".tif.msk", vrt(source("/vsicurl/{URL}/o.tif"))),
    beside(
      "a service for overviews", ".tif.ovr",
      "<GDAL_WMS><Service name='TMS'><ServerUrl>{URL}/${z}</ServerUrl></Service><DataWindow/></GDAL_WMS>",
      .harmless
    ),
    .file(
      "an EHdr header that is a link", .raster, "r.bil", "00000000",
      with: ["r.hdr": "->{UP}/secret.txt"]),
    .file(
      "ENVI with a header outside", .raster, "r.img", "00000000",
      with: ["r.img.hdr": "->{UP}/secret.txt"]),
    .file(
      "overviews of overviews", .raster, "m.tif", "=m.tif",
      with: [
        "m.tif.ovr": "=m.tif", "m.tif.ovr.ovr": vrt(source("/vsicurl/{URL}/o.tif")),
      ]),
    .file(
      "side files of a VRT's source", .raster, "v.vrt", vrt(source("m.tif", relative: up)),
      with: [
        "m.tif": "=m.tif",
        "m.tif.aux.xml":
          "<PAMDataset><Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>/vsicurl/{URL}/o.ovr</MDI></Metadata></PAMDataset>",
      ], .harmless),
  ]

  /// Files that describe services, or are labels of data in other files.
  static let services: [HostileCase] = [
    (
      "wms.xml",
      "<GDAL_WMS><Service name='TMS'><ServerUrl>{URL}/${z}/${x}/${y}</ServerUrl></Service><DataWindow>"
        + "<UpperLeftX>-180</UpperLeftX><UpperLeftY>90</UpperLeftY><LowerRightX>180</LowerRightX><LowerRightY>-90</LowerRightY>"
        + "<TileLevel>3</TileLevel><TileCountX>2</TileCountX><TileCountY>1</TileCountY></DataWindow>"
        + "<Projection>EPSG:4326</Projection><BandsCount>1</BandsCount></GDAL_WMS>"
    ),
    (
      "wms.tif",
      "<GDAL_WMS><Service name='WMS'><ServerUrl>{URL}/?</ServerUrl><Layers>x</Layers></Service></GDAL_WMS>"
    ),
    ("tiled.xml", "<WMS_Tile_Service><GetTileService>{URL}</GetTileService></WMS_Tile_Service>"),
    (
      "wmts.xml",
      "<GDAL_WMTS><GetCapabilitiesUrl>{URL}/c.xml</GetCapabilitiesUrl><Layer>x</Layer></GDAL_WMTS>"
    ),
    (
      "wcs.xml",
      "<WCS_GDAL><ServiceURL>{URL}/</ServiceURL><CoverageName>x</CoverageName></WCS_GDAL>"
    ),
    (
      "o.mrf",
      "<MRF_META><CachedSource><Source>{OUT}/o.tif</Source></CachedSource><Raster><Size x='2' y='2' c='1'/>"
        + "<DataType>Int32</DataType><DataFile>{OUT}/o.raw</DataFile></Raster></MRF_META>"
    ),
    (
      "o.ers",
      "DatasetHeader Begin\nVersion=\"6.0\"\nDataFile=\"{OUT}/o.raw\"\nDataSetType=ERStorage\nRasterInfo Begin\n"
        + "CellType=Signed32BitInteger\nNrOfLines=2\nNrOfCellsPerLine=2\nNrOfBands=1\nRasterInfo End\nDatasetHeader End\n"
    ),
    (
      "o.lbl",
      "PDS_VERSION_ID = PDS3\n^IMAGE = (\"{OUT}/o.raw\",1)\nOBJECT = IMAGE\nLINES = 2\nLINE_SAMPLES = 2\n"
        + "SAMPLE_TYPE = LSB_INTEGER\nSAMPLE_BITS = 32\nEND_OBJECT\nEND\n"
    ),
    (
      "o.map",
      "OziExplorer Map Data File Version 2.2\nx\n{OUT}/o.tif\n1 ,Map Code,\nWGS 84,WGS 84\n"
    ),
    ("o.til", "bandId = \"P\"\nnumTiles = 1;\nBEGIN_GROUP = TILE_1\nfilename = \"{OUT}/o.tif\";\n"),
    (
      "dim.xml",
      "<Dimap_Document><Metadata_Id><METADATA_FORMAT version='2.0'>DIMAP</METADATA_FORMAT></Metadata_Id>"
        + "<Data_File_Path href='{OUT}/o.tif'/></Dimap_Document>"
    ),
    (
      "overlay.kml",
      "<?xml version='1.0'?><kml xmlns='http://www.opengis.net/kml/2.2'><Document><Region/><GroundOverlay>"
        + "<Icon><href>{URL}/o.png</href></Icon><LatLonBox><north>2</north><south>0</south><east>2</east><west>0</west>"
        + "</LatLonBox></GroundOverlay></Document></kml>"
    ),
    (
      "stac.json",
      "{\"stac_version\":\"1.0.0\",\"stac_extensions\":[\"https://stac-extensions.github.io/tiled-assets/v1.0.0/schema.json\"],"
        + "\"type\":\"Feature\",\"asset_templates\":{\"x\":{\"href\":\"{URL}/o.tif\"}},\"properties\":{\"tiles:tile_matrix_links\":{}}}"
    ),
    ("tile.json", "{\"ngw\":1,\"tilejson\":\"2.2.0\",\"tiles\":[\"{URL}/{z}/{x}/{y}.png\"]}"),
    ("o.vrt", "{OUT}/o.tif"), ("o.asc", "{OUT}/o.tif\n"), ("o.pix", "PCIDSK{OUT}/o.raw"),
    ("o.xml", "<?xml version='1.0'?><Product_Observational_INST><x/></Product_Observational_INST>"),
  ].map { .file("a service or label: " + $0.0, .raster, $0.0, $0.1) }
}
