import PlumbTestSupport

/// Sources that are descriptions instead of file names, at every depth, and names that only some
/// readers recognize.
extension HostileCase {
  /// Bytes of an outside file as cells.
  private static let raw =
    "<VRTDataset rasterXSize=\"2\" rasterYSize=\"2\"><VRTRasterBand dataType=\"Int32\" band=\"1\" "
    + "subClass=\"VRTRawRasterBand\"><SourceFilename relativeToVRT=\"0\">{OUT}/o.raw</SourceFilename>"
    + "<ImageOffset>0</ImageOffset><PixelOffset>4</PixelOffset><LineOffset>8</LineOffset>"
    + "</VRTRasterBand></VRTDataset>"

  private static let inlineFeatures =
    "<OGRVRTDataSource><OGRVRTLayer name=\"s\"><SrcDataSource>{OUT}/s.geojson</SrcDataSource>"
    + "</OGRVRTLayer></OGRVRTDataSource>"

  /// The text with XML escapes.
  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }

  /// Every place in a raster VRT that may name a source.
  static let rasterDoors: [(name: String, make: @Sendable (String) -> String)] = [
    ("a source", { dataset(band: simple($0)) }),
    ("a complex source", { dataset(band: simple($0, "ComplexSource")) }),
    ("a filter", { dataset(band: simple($0, "KernelFilteredSource")) }),
    (
      "an overview",
      {
        dataset(
          band: "<Overview><SourceFilename>\($0)</SourceFilename><SourceBand>1</SourceBand>"
            + "</Overview>"
        )
      }
    ),
    (
      "a mask",
      {
        dataset(
          band: "",
          more:
            "<MaskBand><VRTRasterBand dataType=\"Byte\">\(simple($0))</VRTRasterBand></MaskBand>"
        )
      }
    ),
    (
      "a function of cells",
      {
        dataset(
          band: "<PixelFunctionType>sum</PixelFunctionType>" + simple($0),
          class: " subClass=\"VRTDerivedRasterBand\"")
      }
    ),
    (
      "raw bytes",
      {
        dataset(
          band: "<SourceFilename>\($0)</SourceFilename><PixelOffset>4</PixelOffset>"
            + "<LineOffset>8</LineOffset>", class: " subClass=\"VRTRawRasterBand\"")
      }
    ),
    (
      "a warped source",
      { source in
        "<VRTDataset rasterXSize=\"2\" rasterYSize=\"2\" subClass=\"VRTWarpedDataset\">"
          + "<GeoTransform>0,1,0,2,0,-1</GeoTransform><VRTRasterBand dataType=\"Int32\" band=\"1\" "
          + "subClass=\"VRTWarpedRasterBand\"/><BlockXSize>2</BlockXSize><BlockYSize>2</BlockYSize>"
          + "<GDALWarpOptions><SourceDataset>\(source)</SourceDataset><BandList>"
          + "<BandMapping src=\"1\" dst=\"1\"/></BandList></GDALWarpOptions></VRTDataset>"
      }
    ),
    (
      "a sharpened source",
      { source in
        "<VRTDataset subClass=\"VRTPansharpenedDataset\"><PansharpeningOptions><PanchroBand>"
          + "<SourceFilename>\(source)</SourceFilename><SourceBand>1</SourceBand></PanchroBand>"
          + "<SpectralBand dstBand=\"1\"><SourceFilename>\(source)</SourceFilename>"
          + "<SourceBand>1</SourceBand></SpectralBand></PansharpeningOptions></VRTDataset>"
      }
    ),
  ]

  /// Every place in a vector VRT that may name a source.
  static let featureDoors: [(name: String, make: @Sendable (String) -> String)] = [
    ("a layer", { "<OGRVRTDataSource>\(layer($0))</OGRVRTDataSource>" }),
    (
      "a union",
      {
        "<OGRVRTDataSource><OGRVRTUnionLayer name=\"s\">\(layer($0))</OGRVRTUnionLayer>"
          + "</OGRVRTDataSource>"
      }
    ),
    (
      "a projected layer",
      {
        "<OGRVRTDataSource><OGRVRTWarpedLayer>\(layer($0))<TargetSRS>EPSG:4326</TargetSRS>"
          + "</OGRVRTWarpedLayer></OGRVRTDataSource>"
      }
    ),
    (
      "a query",
      {
        "<OGRVRTDataSource>\(layer($0, "<SrcSQL>SELECT * FROM s</SrcSQL>"))</OGRVRTDataSource>"
      }
    ),
    (
      "layers in layers",
      {
        "<OGRVRTDataSource><OGRVRTUnionLayer name=\"u\"><OGRVRTWarpedLayer>\(layer($0))"
          + "<TargetSRS>EPSG:4326</TargetSRS></OGRVRTWarpedLayer></OGRVRTUnionLayer>"
          + "</OGRVRTDataSource>"
      }
    ),
  ]

  static func dataset(band: String, class name: String = "", more: String = "") -> String {
    "<VRTDataset rasterXSize=\"2\" rasterYSize=\"2\"><SRS>EPSG:4326</SRS>"
      + "<GeoTransform>0,1,0,2,0,-1</GeoTransform>\(more)<VRTRasterBand dataType=\"Int32\" "
      + "band=\"1\"\(name)>\(band)</VRTRasterBand></VRTDataset>"
  }

  private static func simple(_ source: String, _ kind: String = "SimpleSource") -> String {
    "<\(kind)><SourceFilename relativeToVRT=\"0\">\(source)</SourceFilename>"
      + "<SourceBand>1</SourceBand></\(kind)>"
  }

  private static func layer(_ source: String, _ more: String = "") -> String {
    "<OGRVRTLayer name=\"s\"><SrcDataSource>\(source)</SrcDataSource>\(more)</OGRVRTLayer>"
  }

  /// Blanks before a description that may hide it from checks.
  private static let blanks = ["&#32;", "&#10;&#9;", "&#13;", "&#11;", "&#32;&#32;&#10;"]

  static let inline: [HostileCase] =
    inlineRasters + inlineSourcesOfFeatures + unusualSources + unknownParts

  private static let inlineRasters: [HostileCase] = rasterDoors.flatMap { door in
    (blanks + [""]).enumerated().map { number, blank -> HostileCase in
      let text = door.make(blank + escaped(raw))
      return .file("inline raster \(number) in \(door.name)", .raster, "v.vrt", text)
    }
  }

  private static let inlineSourcesOfFeatures: [HostileCase] = featureDoors.flatMap { door in
    (blanks + [""]).enumerated().map { number, blank -> HostileCase in
      let text = door.make(blank + escaped(inlineFeatures))
      return .file("inline features \(number) in \(door.name)", .features, "v.vrt", text)
    }
  }

  private static let twice: String = blanks[0] + escaped(dataset(band: simple(" " + escaped(raw))))

  private static let sourceTexts: [(name: String, text: String)] = [
    ("twice", twice),
    ("in CDATA", "<![CDATA[ \(raw)]]>"),
    ("behind letters", "x\(escaped(raw))"),
    ("a name that is not there", "none.tif"),
    ("in quotes", "\"{OUT}/o.tif\""),
    ("a service behind a blank", "&#32;&lt;GDAL_WMS&gt;&lt;/GDAL_WMS&gt;"),
    ("a database", "PG:host=127.0.0.1 port={PORT}"),
    ("a driver's name and a mark", "WMS:&#x301;{URL}/"),
    ("an archive", "/vsizip/{OUT}/o.zip/o.tif"),
    ("a combination", "vrt://{OUT}/o.tif?bands=1"),
    ("an index of tiles", "GTI:{OUT}/o.gpkg"),
  ]

  private static let unusualSources: [HostileCase] = sourceTexts.map { source -> HostileCase in
    .file("inline: \(source.name)", .raster, "v.vrt", rasterDoors[0].make(source.text))
  }

  private static let parts: [(name: String, text: String)] = [
    (
      "overviews as metadata",
      "<Metadata domain='OVERVIEWS'><MDI key='OVERVIEW_FILE'>{OUT}/o.tif</MDI></Metadata>"
    ),
    (
      "sources as metadata",
      "<Metadata domain='new_vrt_sources'><MDI key='source_0'>x</MDI></Metadata>"
    ),
    ("an element of another version", "<ProcessingSteps/>"),
    ("grids of heights", "<VerticalShiftGrids><Grids>{OUT}/o.tif</Grids></VerticalShiftGrids>"),
    ("a schema", "<Description xsi:schemaLocation='{URL}'>x</Description>"),
    ("a reference at an address", "<SRS>http://127.0.0.1:{PORT}/srs</SRS>"),
    ("a reference in a file", "<SRS>{OUT}/secret.txt</SRS>"),
  ]

  private static let unknownParts: [HostileCase] = parts.map { part -> HostileCase in
    let text = dataset(band: sourceOf("m.tif"), more: part.text)
    return .file("unknown: \(part.name)", .raster, "v.vrt", text, with: ["m.tif": "=m.tif"])
  }

  private static func sourceOf(_ name: String) -> String {
    "<SimpleSource><SourceFilename relativeToVRT='1'>\(name)</SourceFilename></SimpleSource>"
  }
}
