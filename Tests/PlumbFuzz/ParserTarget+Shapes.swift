import PlumbCore
import PlumbFormats
import PlumbIO

/// Shapes as text.
extension ParserTarget {
  static var shapes: [ParserTarget] {
    [
      ParserTarget(
        "wkt",
        texts: [
          "POINT (18.6 -34.1)", "point z(1 2 3)", "POINT M (1 2 4)", "POINTZM (1 2 3 4)",
          "POINT EMPTY",
          "SRID=4326;MULTIPOINT ((1 2),(3 4), EMPTY)", "MULTIPOINT (1 2, 3 4)",
          "LINESTRING (0 0,1 1)", "MULTILINESTRING ((0 0,1 1),EMPTY)",
          "POLYGON ((0 0,4 0,4 4,0 4,0 0),(1 1,1 2,2 2,1 1))",
          "MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))",
          "GEOMETRYCOLLECTION (POINT (1 2),GEOMETRYCOLLECTION (MULTIPOINT EMPTY))", "TIN EMPTY",
          "LINESTRING (1e400 0)", "SRID=x;POINT(1 2)", "POINT (1 nan)",
        ],
        words: [
          "(", ")", ",", " ", "EMPTY", "Z", "GEOMETRYCOLLECTION (", "SRID=", ";", "nan", "inf",
        ]
      ) { bytes in
        guard let geometry = try WKTGeometry.decode(bytes) else { return false }
        if case .polygon(let polygon) = geometry {
          let storage = TrivialBuffer<SIMD2<Double>>(count: max(1, polygon.vertices.xy.count))
          polygon.writeCounterClockwise(to: storage.base)
        }
        return try !WKTGeometry.encode(geometry).isEmpty
      },
      ParserTarget(
        "geojson shape",
        texts: [
          #"{"type":"Point","coordinates":[18,-34,5]}"#, #"{"type":"MultiPoint","coordinates":[]}"#,
          #"{"coordinates":[[0,0],[1,1,1]],"type":"LineString","bbox":[0,0,1,1]}"#,
          #"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[]]}"#,
          #"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}"#,
          #"{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,0]]],[]]}"#,
          #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},"#
            + #"{"type":"GeometryCollection","geometries":[]}]}"#,
          #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},"#
            + #"{"type":"LineString","coordinates":[[0,0],[1,1]]}]}"#,
          #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
          #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null}]}"#, "null",
          #"[{"type":"Point","coordinates":[1,2]}]"#,
        ], words: jsonWords + ["\"type\":\"Point\"", "\"coordinates\":", "\"geometries\":["]
      ) { bytes in
        _ = try? GeoJSONGeometry.decodeAll(bytes)
        return try GeoJSONGeometry.decode(bytes) != nil
      },
      ParserTarget(
        "esri shape",
        texts: [
          #"{"x":18,"y":-34,"z":1,"m":2,"spatialReference":{"wkid":4326,"latestWkid":4326}}"#,
          #"{"x":"NaN","y":null}"#, #"{"points":[[1,2],[3,4]],"hasZ":false}"#,
          #"{"hasM":true,"hasZ":true,"paths":[[[0,0,1,2],[1,1,1,null]]]}"#,
          #"{"rings":[[[0,0],[0,4],[4,4],[4,0],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}"#,
          #"{"xmin":0,"ymin":0,"xmax":1,"ymax":2,"zmin":0,"zmax":1,"mmin":0,"mmax":1}"#,
          #"{"curvePaths":[[[0,0],{"c":[[3,3],[1,4]]},{"b":[[6,0],[4,1],[5,1]]},"#
            + #"{"a":[[9,0],[7,0],0,1]},{"a":[[12,0],[10,0],1,0,0.5,2,0.5]},[13,0]]]}"#,
          #"{"curveRings":[[[0,0],{"a":[[0,0],[2,0],0,1]}]]}"#,
          #"{"rings":[[[1,1],[2,1],[2,2],[1,1]],[[0,0],[0,4],[4,4],[4,0],[0,0]],[[9,9],[9,12],[12,9],"#
            + #"[9,9]]],"hasZ":false}"#,
          #"{"paths":[],"spatialReference":{"wkt":"GEOGCS[\"x\"]"}}"#, #"{"xmin":"NaN"}"#,
          #"{"rings":[[[0,0],[1,1]]],"spatialReference":null}"#, "null",
        ],
        words: jsonWords + ["\"rings\":[", "{\"a\":[", "{\"c\":[[", "\"NaN\"", "\"hasZ\":true,"]
      ) { bytes in
        guard let geometry = try EsriJSONGeometry.decode(bytes, reference: { _ in .wgs84 }) else {
          return false
        }
        _ = try EsriJSONGeometry.encode(geometry)
        return true
      },
      ParserTarget(
        "esri features",
        texts: [
          #"{"objectIdFieldName":"OBJECTID","geometryType":"esriGeometryPoint","hasZ":true,"#
            + #""spatialReference":{"wkid":4326},"fields":[{"name":"OBJECTID","type":"esriFieldType"#
            + #"OID"},{"name":"a","type":"esriFieldTypeString","length":9},{"name":"d","type":"esri"#
            + #"FieldTypeDate"},{"name":"n","type":"esriFieldTypeInteger"},{"name":"r","type":"esri"#
            + #"FieldTypeDouble"}],"features":[{"attributes":{"OBJECTID":1,"a":"x","d":1e12,"n":2,"#
            + #""r":1.5},"geometry":{"x":1,"y":2,"z":3}},{"attributes":{"a":5},"geometry":null},"#
            + #"{"geometry":{"x":"NaN"}}]}"#,
          #"{"features":[{"attributes":{"a":1,"b":"x","c":null,"d":true}},{"attributes":{"a":1.5}}]}"#,
          #"{"geometryType":"esriGeometryPolyline","features":[{"attributes":{},"geometry":{"paths":"#
            + #"[[[0,0],[1,1]]]}},{"attributes":{},"geometry":{"rings":[]}}],"fields":[]}"#,
          #"{"geometryType":"esriGeometryPolygon","exceededTransferLimit":true,"features":[]}"#,
          #"{"type":"FeatureCollection","features":[]}"#,
        ],
        words: jsonWords + ["\"features\":[", "\"attributes\":{", "\"geometry\":", "\"fields\":["]
      ) { bytes in
        let reference = { (_: String) in SpatialReference.wgs84 }
        let isLikely = EsriFeatureReader.isFeatureSet(bytes)
        let reader = try EsriFeatureReader(bytes, reference: reference)
        while try reader.next() != nil {}
        try reader.restart()
        _ = try reader.next()
        return isLikely
      },
    ]
  }
}
