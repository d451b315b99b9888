import PlumbCore
import PlumbGeometry
import PlumbRaster
import Testing

@testable import PlumbGDAL

/// The CRS of a source is identified by the code in its definition only if PROJ's definition of the
/// code is equivalent.
struct ReferenceTextTests {
  private static func definition(falseEasting: Int, name: String = "WGS 84 / UTM zone 34S")
    -> String
  {
    """
    PROJCS["\(name)",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],\
    PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],\
    PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",21],\
    PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",\(falseEasting)],\
    PARAMETER["false_northing",10000000],UNIT["metre",1],AXIS["Easting",EAST],\
    AXIS["Northing",NORTH],AUTHORITY["EPSG","32734"]]
    """
  }

  @Test func `rasters`() throws {
    let scratch = try VectorScratch()
    for (shift, isCode) in [(500_000, true), (0, false)] {
      let path = try scratch.write(
        """
        <VRTDataset rasterXSize="2" rasterYSize="2">
        <SRS>\(Self.definition(falseEasting: shift))</SRS>
        <GeoTransform>-100,100,0,6000100,0,-100</GeoTransform>
        <VRTRasterBand dataType="Byte" band="1"/></VRTDataset>
        """, "\(shift).vrt")
      let text = try #require(try GDALRasterSource(path: path).profile.reference)
      #expect((text == "EPSG:32734") == isCode, "\(text)")
      #expect(isCode || text.contains("\"False easting\",0"))
    }
  }

  @Test func `features`() throws {
    let scratch = try VectorScratch()
    _ = try scratch.write("id,WKT\n1,POINT(1 2)\n", "a.csv")
    for (shift, isCode) in [(500_000, true), (0, false)] {
      let path = try scratch.write(
        """
        <OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource relativeToVRT="1">a.csv</SrcDataSource>
        <LayerSRS>\(Self.definition(falseEasting: shift))</LayerSRS>
        </OGRVRTLayer></OGRVRTDataSource>
        """, "\(shift).vrt")
      let text = try #require(try VectorPointReader(path: path).referenceText)
      #expect((text == "EPSG:32734") == isCode, "\(text)")
      #expect(try VectorListing.of(path: path)?.layers.first?.reference == text)
    }
  }

  /// A code is written for other programs only if the CRS with this code is equivalent.
  @Test func `labels and identities`() throws {
    let plain = try SpatialReference(Self.definition(falseEasting: 500_000))
    #expect(plain.label == "EPSG:32734" && plain.identity(withWKT: false).code == "32734")
    let shifted = try SpatialReference(Self.definition(falseEasting: 0))
    #expect(shifted.label == "WGS 84 / UTM zone 34S")
    #expect(shifted.identity(withWKT: true).code == nil)
    #expect(shifted.identity(withWKT: true).wkt?.contains("\"False easting\",0") == true)
    #expect(!shifted.isEquivalent(to: plain))
    // A code that PROJ does not know is not equal to the code of any other CRS.
    let unknown = Self.definition(falseEasting: 0).replacing("\"32734\"", with: "\"999999\"")
    #expect(try SpatialReference(unknown).label == "EPSG:999999")
  }
}
