extension HostileCase {
  /// Paths that lead out of the folder.
  static let paths: [HostileCase] =
    [
      "../outside/o.tif", "in/../../outside/o.tif", "./.././outside/o.tif", "..//outside/o.tif",
      "{OUT}/o.tif", "/{OUT}/o.tif", "file://{OUT}/o.tif", "file:{OUT}/o.tif", "FILE://{OUT}/o.tif",
      "file://localhost{OUT}/o.tif", "file://elsewhere{OUT}/o.tif", "file:../outside/o.tif",
      "file:..%2Foutside/o.tif", "file:%2e%2e/outside/o.tif", "file:%2E%2E%2Foutside%2Fo.tif",
      "%2e%2e/outside/o.tif", "..%2foutside%2fo.tif", "..\\\\outside\\\\o.tif", "~/../{OUT}/o.tif",
      "../outside/o.tif\\u0000.tif", "m.tif\\u0000../outside/o.tif",
      "/proc/self/root{OUT}/o.tif", "/proc/self/cwd/../outside/o.tif",
      "/proc/thread-self/root{OUT}/o.tif",
      "../outside/*.tif", "../outside", "{OUT}", "*/../../outside/o.tif", "{OUT}/[o].tif",
      "in/?.?/../../outside/*",
    ].map { .url($0) }
    + [
      "../outside/s.geojson", "../outside/s.geojson#s", "t.geojson#/../../outside/s.geojson",
      "{OUT}/s.csv", "/proc/self/environ", "/etc/passwd", "/dev/stdin", "/dev/zero", "/dev/fd/0",
      "../outside/secret.txt",
    ].map { .url($0, .features) }
    + [
      "../outside/service.json", "{OUT}/service.json", "file:%2e%2e/outside/service.json",
      "{URL}/service.json", "/vsicurl/{URL}/service.json",
    ].map { .url($0, .service) }
    + links

  private static let links: [HostileCase] =
    [
      ("o.tif", ["o.tif": "->{OUT}/o.tif"]),
      ("o.tif", ["o.tif": "->{UP}/o.tif"]),
      ("a.tif", ["a.tif": "->b.tif", "b.tif": "->c.tif", "c.tif": "->{UP}/o.tif"]),
      ("away/o.tif", ["away": "->{UP}"]),
      ("up/up/outside/o.tif", ["up": "->.."]),
      ("up/../../../outside/o.tif", ["up": "->."]),
      ("away/*.tif", ["away": "->{UP}"]),
      ("away", ["away": "->{UP}"]),
      ("[o]*.tif", ["o.tif": "->{UP}/o.tif"]),
      ("", ["m.tif": "=m.tif", "o.tif": "->{UP}/o.tif"]),
      ("", ["m.tif": "=m.tif", "o.odd": "->{UP}/o.tif"]),
      ("o.tif", ["o.tif": "->/proc/self/root{OUT}/o.tif"]),
      ("z.tif", ["z.tif": "->/dev/zero"]),
      ("loop.tif", ["loop.tif": "->loop.tif"]),
    ].map { .url("{HERE}/" + $0.0, files: $0.1) }
    + [
      .url("{HERE}/s.geojson", .features, files: ["s.geojson": "->{UP}/s.geojson"]),
      .url("{HERE}/e.csv", .features, files: ["e.csv": "->/proc/self/environ"]),
      .url("{HERE}/service.json", .service, files: ["service.json": "->{UP}/service.json"]),
      .file(
        "a sublayer outside", .service, "s.json",
        #"{"layers":[{"id":0,"name":"x","source":"{UP}/o.tif"}]}"#),
      .file(
        "a sublayer on a network", .service, "s.json",
        #"{"layers":[{"id":0,"name":"x","source":"/vsicurl/{URL}/o.tif"}]}"#),
      .file(
        "a sublayer of features outside", .service, "s.json",
        #"{"layers":[{"id":0,"name":"x","source":{"path":"{OUT}/s.geojson","layer":"s"}}]}"#),
    ]

  /// Names of GDAL's file systems and drivers, and inline descriptions.
  static let virtual: [HostileCase] =
    [
      "/vsicurl/{URL}/o.tif", "/vsicurl?url={URL}/o.tif", "/vsicurl_streaming/{URL}/o.tif",
      "/vsis3/bucket/o.tif", "/vsis3_streaming/bucket/o.tif", "/vsigs/bucket/o.tif",
      "/vsigs_streaming/bucket/o.tif", "/vsiaz/bucket/o.tif", "/vsiadls/bucket/o.tif",
      "/vsioss/bucket/o.tif", "/vsiswift/bucket/o.tif", "/vsiwebhdfs/{URL}/o.tif",
      "/vsihdfs/file:{OUT}/o.tif", "/vsizip/{OUT}/o.zip/o.tif", "/vsizip/{{OUT}/o.zip}/o.tif",
      "/vsitar/{OUT}/o.tar/o.tif", "/vsigzip/{OUT}/o.tif", "/vsimem/o.tif",
      "/vsisubfile/0,{OUT}/o.tif", "/vsisubfile/0_9999,{OUT}/o.tif", "/vsisparse/{OUT}/sparse.xml",
      "/vsistdin/", "/vsistdin?buffer_limit=1", "/vsistdout/", "/vsicrypt/key=x,file={OUT}/o.tif",
      "/vsicached?chunk_size=1KB&file={OUT}/o.tif", "/vsiplugin/{OUT}/o.tif",
      "file:/vsicurl/{URL}/o.tif", "vrt://{OUT}/o.tif", "vrt://{URL}/o.tif",
      "VRT://../outside/o.tif",
      "GTIFF_DIR:1:{OUT}/o.tif", "GTIFF_DIR:off:8:../outside/o.tif", "GTIFF_RAW:{OUT}/o.tif",
      "HDF5:\\\"{OUT}/o.h5\\\"://x", "NETCDF:{OUT}/o.nc:x", "NETCDF:{URL}/o.nc:x",
      "GPKG:{OUT}/o.gpkg:o",
      "SQLITE:{OUT}/o.sqlite", "DERIVED_SUBDATASET:LOGAMPLITUDE:{OUT}/o.tif",
      "HDF4_SDS:UNKNOWN:{OUT}/o:0",
      "RASTERLITE2:{OUT}/o:o", "PDF:1:{OUT}/o.pdf", "ZARR:\\\"/vsicurl/{URL}/z\\\"",
      "STACIT:\\\"{URL}/c\\\"",
      "STACTA:\\\"{URL}/c\\\"", "BAG:\\\"{OUT}/o.bag\\\":x",
      "SENTINEL2_L1C:{OUT}/o.xml:10m:EPSG_32630",
      "MEM:::DATAPOINTER=4096,PIXELS=9,LINES=9", "WMS:{URL}/", "WMTS:{URL}/c.xml",
      "WCS:{URL}/?coverage=x",
      "OGCAPI:{URL}/", "EEDAI:image", "PLMosaic:x", "DAAS:x", "DODS:{URL}/", "http:{URL}/",
      "{URL}/o.tif", "HTTP://127.0.0.1/o.tif", "https://127.0.0.1/o.tif", "ftp://127.0.0.1/o.tif",
      "gopher://127.0.0.1/", "s3://bucket/o.tif", "C:/o.tif",
      "<VRTDataset rasterXSize='1' rasterYSize='1'/>", "<GDAL_WMS><Service name='TMS'/></GDAL_WMS>",
      "<WMS_Tile_Service><GetTileService>{URL}</GetTileService></WMS_Tile_Service>",
      "<GDAL_WMTS><GetCapabilitiesUrl>{URL}</GetCapabilitiesUrl></GDAL_WMTS>",
    ].map { .url($0) }
    + [
      "PG:host=127.0.0.1 port={PORT}", "MYSQL:x,host=127.0.0.1,port={PORT}",
      "MSSQL:server=127.0.0.1",
      "ODBC:x", "OCI:x/y@z", "PGEO:{OUT}/o.mdb", "WFS:{URL}/", "WFS3:{URL}/", "OAPIF:{URL}/",
      "OAPIF_COLLECTION:{URL}/", "CSW:{URL}/", "ES:{URL}/", "CARTO:x", "AMIGOCLOUD:x",
      "NGW:{URL}/resource/1",
      "EEDA:x", "PLScenes:x", "GeoJSON:{URL}/s.geojson", "ESRIJSON:{URL}/s.json",
      "TopoJSON:{URL}/s.json",
      "GEOJSONSeq:{OUT}/s.geojson", "CSV:{OUT}/s.csv", "GPSBABEL:gpx:{OUT}/s.gpx",
      "GMLAS:{URL}/s.gml",
      "MVT:{URL}/0", "SXF:{OUT}/o.sxf", "KML:{OUT}/s.kml", "FGB:{OUT}/s.fgb", "gltp:/vrf/usr",
      "{\\\"type\\\":\\\"FeatureCollection\\\",\\\"features\\\":[]}",
      "<OGRVRTDataSource><OGRVRTLayer name='s'><SrcDataSource>{OUT}/s.geojson</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>",
      "<OGRWFSDataSource><URL>{URL}</URL></OGRWFSDataSource>", "/vsistdin/",
    ].map { .url($0, .features) }
}
