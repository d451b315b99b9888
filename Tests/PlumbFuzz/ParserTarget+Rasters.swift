import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster
import PlumbSources
import PlumbTIFF

/// Raster files, except the directories of TIFFs.
extension ParserTarget {
  static var rasters: [ParserTarget] {
    [
      ParserTarget("tiff tiles", corpus: TileBytes.corpus, words: ["II*\0", "MM\0*"]) { bytes in
        try FuzzFolder.shared.withFile(bytes, ".tif") { try TileBytes.read($0) }
      },
      ParserTarget("virtual raster", texts: virtualRasters, words: virtualWords) { bytes in
        try FuzzFolder.shared.withFile(bytes, ".vrt") { path in
          _ = VirtualTree.fault(of: path)
          let profile = RasterProfile(
            grid: TileGrid(width: 20, height: 20, tileWidth: 20, tileHeight: 20),
            mapping: .source, reference: nil, longitudePeriod: nil,
            bands: [Band(pixelType: .uint8), Band(pixelType: .uint8)], isInterleaved: false)
          let mosaic = VirtualMosaic(path: path, profile: profile)
          let sources = try VirtualSource.list(inFile: path)
          for source in sources { _ = source.paths(from: ["/a/", ""]) }
          return !sources.isEmpty || mosaic != nil
        }
      },
      ParserTarget("gaussian grid", corpus: gaussianGrids, words: ["GRIB"]) { bytes in
        try FuzzFolder.shared.withFile(bytes, ".grib") { path in
          try GaussianGrid.latitudes(path: path, rows: 8) != nil
        }
      },
      ParserTarget("folder index", texts: indexes, words: jsonWords + ["uint8", "\"nodata\":"]) {
        bytes in
        guard let index = FolderIndex(try JSONTree(bytes)) else { return false }
        var written: [UInt8] = []
        index.tree.append(to: &written)
        let again = try written.withUnsafeBytes { FolderIndex(try JSONTree($0)) }
        precondition(again != nil, "the index is not read again")
        return true
      },
      ParserTarget("helper answer", corpus: HelperBytes.corpus) { bytes in
        guard let first = bytes.first, let kind = HelperContents(rawValue: first) else {
          return false
        }
        try kind.read(Array(bytes.dropFirst()), columnCount: 2)
        return true
      },
    ]
  }

  private static let virtualWords = [
    "<", ">", "</", "/>", "\"", "=", "<SourceFilename>", "relativeToVRT=\"1\"", "<SimpleSource>",
    "/vsicurl/", "http://", "&lt;", "<![CDATA[", "<!DOCTYPE a>", "\u{E9}", "-5", "1e9",
  ]

  private static let virtualRasters = [
    """
    <VRTDataset rasterXSize="20" rasterYSize="20"><SRS>EPSG:4326</SRS><GeoTransform>0,1,0,0,0,-1
    </GeoTransform><VRTRasterBand dataType="Byte" band="1"><NoDataValue>0</NoDataValue>
    <SimpleSource><SourceFilename relativeToVRT="1">a.tif</SourceFilename><SourceBand>1</SourceBand>
    <SourceProperties RasterXSize="10" RasterYSize="10" BlockXSize="64" BlockYSize="64"/>
    <SrcRect xOff="0" yOff="0" xSize="10" ySize="10"/><DstRect xOff="-2" yOff="0" xSize="10"
    ySize="10"/></SimpleSource></VRTRasterBand><VRTRasterBand dataType="Byte" band="2">
    <ComplexSource><SourceFilename>b.tif</SourceFilename><NODATA>5</NODATA><SrcRect xOff="0" yOff="0"
    xSize="3" ySize="3"/><DstRect xOff="5" yOff="5" xSize="3" ySize="3"/></ComplexSource>
    <SimpleSource><SourceFilename relativeToVRT="YES">c.tif</SourceFilename><SrcRect xOff="0" yOff="0"
    xSize="3" ySize="3"/><DstRect xOff="50" yOff="5" xSize="3" ySize="3"/></SimpleSource>
    </VRTRasterBand></VRTDataset>
    """,
    """
    <VRTDataset rasterXSize="2" rasterYSize="2" subClass="VRTWarpedDataset"><Metadata domain="xml:x"
    format="xml"><any/></Metadata><Metadata><MDI key="AREA_OR_POINT">Area</MDI></Metadata>
    <GDALWarpOptions><Option name="INIT_DEST">0</Option><SourceDataset relativeToVRT="0">/d/e.tif
    </SourceDataset><Transformer><ReprojectTransformer><SourceSRS>+proj=longlat</SourceSRS>
    </ReprojectTransformer></Transformer></GDALWarpOptions><VRTRasterBand subClass="VRTRawRasterBand">
    <SourceFilename>raw.bin</SourceFilename><PixelFunctionType>sum</PixelFunctionType>
    <PixelFunctionLanguage>C</PixelFunctionLanguage><PixelFunctionArguments k="1"/></VRTRasterBand>
    </VRTDataset>
    """,
    """
    <OGRVRTDataSource><OGRVRTLayer name="l"><SrcDataSource>a.csv</SrcDataSource><LayerSRS>EPSG:4326
    </LayerSRS><GeometryField encoding="PointFromColumns" x="x" y="y"/></OGRVRTLayer>
    </OGRVRTDataSource>
    """,
    """
    <VRTDataset><VRTRasterBand><SimpleSource><SourceFilename>&lt;VRTDataset&gt;&lt;VRTRasterBand&gt;
    &lt;SimpleSource&gt;&lt;SourceFilename&gt;x.vrt&lt;/SourceFilename&gt;&lt;/SimpleSource&gt;
    &lt;/VRTRasterBand&gt;&lt;/VRTDataset&gt;</SourceFilename></SimpleSource></VRTRasterBand>
    </VRTDataset>
    """, "<!DOCTYPE a><VRTDataset><SRS>+init=/x:y</SRS></VRTDataset>",
    "<VRTDataset><Option name=\"RPC_DEM\">a</Option></VRTDataset>",
    "<VRTDataset><Description>/vsicurl/x</Description><UnitType>http://a</UnitType><LUT>://</LUT>"
      + "<SRS>http://www.opengis.net/def/crs/EPSG/0/4326</SRS><MDI key=\"DEMPATH\"/></VRTDataset>",
  ]

  /// A message of each edition of GRIB, with a grid of 8 rows.
  private static var gaussianGrids: [[UInt8]] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let mark = Array("GRIB".utf8)
    // Four rows from a pole to the equator; the first is at 73.799 degrees.
    var first = mark + [0, 0, 100, 1] + number(8, 3) + [0, 0, 0, 0, 0x80]
    first += number(32, 3) + [0, 0, 4] + number(16, 2) + number(8, 2) + number(73_799, 3)
    first += number(0, 3) + [0] + number(1 << 23 | 73_799, 3) + number(0, 3) + number(0, 2)
    first += number(4, 2) + [0, 0, 0, 0, 0, 0, 0, 0]
    var second = mark + [0, 0, 0, 2] + number(200, 8) + number(21, 4) + [1]
    second += [UInt8](repeating: 0, count: 16) + number(72, 4) + [3] + number(0, 7) + number(40, 2)
    second += [UInt8](repeating: 0, count: 16) + number(16, 4) + number(8, 4) + number(0, 8)
    second += number(73_799_000, 4) + number(0, 5) + number(1 << 31 | 73_799_000, 4)
    second += number(0, 8) + number(4, 4) + [0, 0, 0, 0, 0]
    return [first, second, [0x20] + first]
  }

  private static let indexes = [
    #"{"version":3,"tiles":{"a.tif":{"stamp":"s","route":"GDAL","files":["a.tif"],"profile":{"#
      + #""size":[4,4],"tile":[4,2],"interleaved":false,"transform":[18,0.5,0,-33,0,-0.5],"#
      + #""reference":"EPSG:4326","period":360,"bands":[{"type":"uint8","scale":1,"offset":0,"#
      + #""unit":"m","name":"n","color":"Gray","nodata":-9999,"classes":[[0,1,"low"]],"#
      + #""colors":[255,4294967295]},{"type":"float32","scale":0.5,"offset":1e3,"unit":"","name":"","#
      + #""color":"","alpha":0}]}}}}"#,
    #"{"version":3,"tiles":{"b":{"stamp":"s","route":"r","files":[],"profile":{"size":[1,1],"#
      + #""tile":[1,1],"interleaved":true,"unplaced":"no","bands":[{"type":"int64","scale":1,"#
      + #""offset":0,"unit":"","name":"","color":"","nodataInteger":-7}]}},"c":{"stamp":"","route":"","#
      + #""files":[],"profile":{"size":[1,1],"tile":[1,1],"interleaved":true,"bands":[{"type":"uint64","#
      + #""scale":1,"offset":0,"unit":"","name":"","color":"","nodataUnsigned":"9"},{"type":"uint64","#
      + #""scale":1,"offset":0,"unit":"","name":"","color":"","mask":true},{"type":"uint64","scale":1,"#
      + #""offset":0,"unit":"","name":"","color":"","nodata":"nan"}]}}}}"#,
    #"{"version":3,"tiles":{}}"#,
  ]
}
