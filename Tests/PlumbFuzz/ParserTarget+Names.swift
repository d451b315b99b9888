import PlumbCore
import PlumbDocuments
import PlumbFeeds
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO
import PlumbLayers
import PlumbService
import PlumbSources

/// Names, addresses and options as used in commands and documents, and text in other encodings.
extension ParserTarget {
  static var names: [ParserTarget] {
    [
      ParserTarget(
        "names",
        texts: [
          "NETCDF:\"a.nc\":t", "hdf5:b.h5://x/y", "ZARR:\"c\":/d:1", "/vsicurl/http://h/a.tif?b#c",
          "https://h/f/a.tif", "/vsis3/b/k.tif", "s3://b/k.tif", "az://c/%2e%2E/%4",
          "PG:host=h dbname='a b' password=\\'x y", "postgresql://u:p@h/d?sslpassword=p",
          "http://h/rest/services/a/FeatureServer/3/?f=json&x=%41+",
          "https://h/portal/home/item.html?id=abcdef",
          "http://h/a/sharing/rest/content/items/ab/data",
          "http://h/s/MapServer", "http://h/s/rest/services/x/ImageServer", "WFS:http://h", "a.inp",
          "a.inp,valves=v.csv,valves=w", "a,b.json,valves=c,d,crs=EPSG:4326",
          "a,valves=v,w",
          "h.org=token==", "12px", "2.5km", "0", "id=text,n=integer", "a.geojson:layer",
          "b: $value > 1",
          "http://h/a?SERVICE=WMS&x=%zz",
        ],
        words: ["://", ":", "/", "?", "#", "=", "&", "%", "\"", ".", "..", ",", "é", "/vsicurl/"]
      ) { bytes in
        let text = bytes.string
        let array = ArrayName(text)
        let remote = RemoteAddress(text)
        _ = (remote?.fileName, remote?.sibling("x.ovr"), NetworkName.leadsToNetwork(text))
        _ = (NetworkName.isFileSystemNamed(in: text), OnlyLayer.names(of: text))
        let database = DatabaseAddress(text)
        _ = (database?.shown, database?.adding([]), text.withoutPasswords)
        let bucket = BucketName(text)
        _ = (bucket?.bucket?.description, bucket?.hasPlainKey)
        let address = ServiceAddress(text)
        _ = (address?.kind, address?.portal, address?.info, address?.parameters.count)
        _ = SignIn(option: text)?.hiding(in: text)
        _ = (IdentifyOptions.Tolerance(text: text), try? ColumnTypes(text), FenceFile.split(text))
        // Other CRSs are read by PROJ, which is slow.
        if !text.contains("crs=") || text.hasSuffix(",crs=EPSG:4326") {
          _ = try? NetworkChoice(text)
        }
        return array.array != nil || remote != nil || address != nil
      },
      ParserTarget(
        "reference text",
        texts: [
          "+proj=utm +zone=34 +nadgrids=@null,/x/y.gsb", "+init=epsg:4326 +to_meter=0.3048/1",
          #"GEOGCS["x",EXTENSION["PROJ4","+nadgrids=~/g"]]"#, "+init=/etc/x:1 +wktext",
          #"{"type":"CRS","name":"\u002fetc\/x","file":"../a"}"#,
          "PARAMETERFILE[\"f\",\"/a/../b\"]",
        ],
        words: ["+", "=", "/", "\\", "\\u002f", "\"", ",", "@", "init=", "grids=", "~", "../", " "]
      ) { bytes in SpatialReference.file(namedIn: bytes.string) != nil },
      ParserTarget(
        "text encoding",
        corpus: [
          [0] + Array("plain \u{E9}".utf8), [1, 0x61, 0xE9, 0x80],
          [2, 0x82, 0xA0, 0x41, 0x93, 0xFA],
          [3, 0x61, 0, 0xE9, 0, 0x34, 0xD8, 0x1E, 0xDD], [4] + Array("a+AOk-b".utf8),
          [6] + Array("a".utf8), [0, 0x81, 0x8D], [2, 0x82], [3, 0x61, 0, 0x34, 0xD8],
          [5, 0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42],
        ], words: ["\u{1B}$B", "\u{1B}(B", "+", "-"]
      ) { bytes in
        let names = ["UTF-8", "CP1252", "SHIFT_JIS", "UTF-16LE", "UTF-7", "ISO-2022-JP", "x-none"]
        guard let first = bytes.first, Int(first) < names.count else { return false }
        for (step, capacity) in [(3, 7), (64, 64)] {
          let read = UnsafeRawBufferPointer(rebasing: bytes.dropFirst()).reader(step: step)
          let recoder = try TextRecoder(names[Int(first)]) { read($0) }
          var text: [UInt8] = []
          var piece = [UInt8](repeating: 0, count: capacity)
          while true {
            let count = try piece.withUnsafeMutableBytes { try recoder.read($0) }
            if count == 0 { break }
            text += piece[..<count]
          }
          precondition(String(validating: text, as: UTF8.self) != nil, "not UTF-8")
        }
        return true
      },
      ParserTarget(
        "line file",
        texts: [
          #"{"paths":[[[0,0],[1,1]]],"spatialReference":{"wkid":4326}}"#,
          #"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#,
          #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"#
            + #""MultiLineString","coordinates":[[[0,0],[1,1]]]}}]}"#,
          #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#,
        ], words: jsonWords + ["\"features\":[", "\"geometry\":", "\"paths\":"]
      ) { bytes in
        try FuzzFolder.shared.withFile(bytes, ".json") { path in
          try !SimulatedLocationSource.line(path: path).isEmpty
        }
      },
    ]
  }
}
