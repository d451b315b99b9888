import PlumbFeeds
import PlumbFormats
import PlumbGeotriggers
import PlumbIO

/// Location feeds, and single NMEA sentences.
extension ParserTarget {
  static var feeds: [ParserTarget] {
    [
      ParserTarget(
        "nmea",
        texts: sentences + ships + [
          "\\s:a*00\\$GPZDA,120000.5,01,05,2026,00,00", "!AIVDM,1,1,,A,x,0",
        ],
        words: ["$", "!", "\\", "*", ",", "GPRMC", "GPGGA", "N", "W", "*00"]
      ) { bytes in
        _ = try? NMEASentence.parse(bytes.text, needsChecksum: true)
        let sentence = try NMEASentence.parse(bytes.text).sentence
        if case .ais(let fragment) = sentence {
          var assembler = AISAssembler()
          _ = try assembler.add(fragment)
        }
        return sentence != .other
      },
      feed(
        "feed of any kind", nil,
        [
          table, sentences.joined(separator: "\n"), gpx, features,
          "# c\n\u{0}\u{FF}\n" + sentences[0], "x", "\u{0}\u{1}\u{2}", "a b c\nd e f",
          String(repeating: "x", count: 9000), "\u{FF}\u{FE}x\u{0}",
        ]),
      feed(
        "delimited feed", .delimited,
        [
          table, "time;lon;lat\n0;1;2\n1e3;3;4\n", "id,name,time,lon,lat,x\n1,a,0,1,2,3\n",
          "easting,northing,time\n1,2,3\n", "lon,lat\n1,2\n", "time,date,lon,lat\n1,2,3,4\n",
          "sep=;\ntime;lon;lat\n0;1;2\n", "# a note\n# another\ntime,lon,lat\n0,1,2\n",
          "#time,lon,lat\n0,1,2\n", "#time,lon,lat\ntime,lon,lat\n", "# time,lon,lat", "#", "",
          "time,lon,lat\n0,1,\"a\nb\nc\n",
          "id,vehicle,time,lon,lat\na,b,0,1,2\n", "time,lon,lat,vehicle,name\n0,1,2,a,b\n",
        ]),
      feed(
        "nmea feed", .nmea,
        [
          (sentences + sentences).joined(separator: "\r\n") + "\n",
          ships.joined(separator: "\n") + "\n\\c:1777636800*5E\\" + ships[0] + "\n",
          #"{"class":"TPV","device":"d","time":"2026-05-01T12:00:00Z","lat":1,"lon":2,"alt":3,"#
            + #""speed":1,"track":2,"eph":3,"epv":4,"altMSL":5}"# + "\n" + #"{"class":"SKY"}"#
            + "\n"
            + #"{"class":"TPV","lat":null}"# + "\n# c\n",
        ]),
      feed(
        "gpx feed", .gpx, [gpx, "<?xml version='1.0' encoding='latin1'?><gpx></gpx>", "<gpx/>"]),
      feed(
        "geojson feed", .geoJSON,
        [
          features,
          #"{"type":"FeatureCollection","features":["#
            + features.split(separator: "\n").joined(separator: ",")
            + "]}",
          #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:3857"}},"#
            + #""features":[]}"#, "\u{1E}" + features, #"{"type":"Feature"# + "\n,", "[]", "{\0",
          #"{"crs":{"type":"name","properties":{"name":"EPSG:4326"}},"type":"FeatureCollection","#
            + #""features":[]}"#, "{\n\"type\":\"Feature\"}\n{}",
        ]),
      sent(
        "sent objects",
        [
          #"[{"id":"a","lat":1,"lon":2,"time":"2026-05-01T12:00:00Z","speed":3},{"lat":1}]"#,
          #"{"_type":"location","lat":1,"lon":2,"tst":1777636800,"acc":5,"vel":3,"topic":"o/u/d"}"#,
          #"{"_type":"lwt"}"#, features, #"{"features":[{"a":1}]}"#,
        ]),
    ]
  }

  private static let table =
    "id,time,x,y,speed,note\nv1,2026-05-01T12:00:10Z,1,2.5,1.5,\"a \"\"b\"\"\n c\"\n"
    + "v2,2026-05-01T12:00:11Z,2,2.5,x,\n,,,,,\n\"open,1\nv1,1777636800000,3,4,,z\n"

  private static let sentences = [
    "$GPRMC,120010,A,6012.5,N,02454.5,E,1.0,2.0,010526,,",
    "$GPGGA,120010,6012.5,S,02454.5,W,1,8,0.9,5,M,,M,,",
    "$GPRMC,120011,V,,,,,,,010526,,*2E", "$GPZDA,120000.5,01,05,2026,00,00", "$PGRME,1,2",
    "$GPGGA,120012,,,,,0,,,,,,,,",
  ]

  /// Messages of ships and of a base station, one of them in two sentences.
  private static let ships = [
    "!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0", "!AIVDM,1,1,,A,403OviQuMGCqWrRO9>E6fE700@GO,0",
    "!AIVDM,1,1,,A,B5NJ;PP005l4ot5Isbl03wsUkP06,0",
    "!AIVDM,1,1,,A,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5F,1777636800",
    "!AIVDM,2,1,1,A,55?MbV02;H;s<HtKR20EHE:0@T4@Dn2222222216L961O5Gf0NSQEp6ClRp8,0",
    "!AIVDM,2,2,1,A,88888888880,2", "!AIVDO,1,1,,,B5NJ;PP005l4ot5Isbl03wsUkP06,0",
  ]

  private static let gpx =
    "<?xml version=\"1.0\"?><gpx><wpt/><trk><name>a &amp; b</name><trkseg>\n<trkpt lat=\"1\" lon=\"2\">"
    + "<time>2026-05-01T12:00:10Z</time><speed>1</speed><course>x</course><x:s>1</x:s></trkpt>\n"
    + "<trkpt lat=\"1\" lon=\"\"></trkpt><trkpt lat=\"3\" lon=\"4\"/><!-- c --></trkseg></trk></gpx>\n"

  private static let features =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2.5]},"properties":{"id":"v","#
    + #""time":1777636800,"speed":1.5,"n":[1,{}]}}"# + "\n"
    + #"{"type":"Feature","geometry":{"type":"MovingPoint","coordinates":[[1,2],[3,4]],"datetimes":["#
    + #""2026-05-01T12:00:10Z","2026-05-01T12:00:11Z"]},"properties":{"id":7}}"# + "\n"
    + #"{"type":"Feature","geometry":null,"properties":null}"# + "\n{broken\n"

  private static let words =
    jsonWords + [
      "\"", ",", ";", "\n", "\r\n", "<", ">", "</trkpt>", "<trkpt ", "$", "*", "&", "<!--", "#",
    ]

  private static func feed(
    _ name: String, _ format: LocationFormat?, _ texts: [String]
  ) -> ParserTarget {
    ParserTarget(name, texts: texts, words: words) { bytes in
      try count(bytes, format.map { SentShape($0) })
    }
  }

  private static func sent(_ name: String, _ texts: [String]) -> ParserTarget {
    ParserTarget(name, texts: texts, words: words) { bytes in
      _ = try? count(bytes, SentShape(nil, isLines: true, sender: "s"))
      return try count(bytes, SentShape(nil, sender: "s"))
    }
  }

  private static func count(_ bytes: UnsafeRawBufferPointer, _ shape: SentShape?) throws -> Bool {
    let named = LocationColumns(id: "id", time: "time", x: "x", y: "y")
    let other = try? LocationFeed(
      bytes: Array(bytes), name: "feed", shape: shape, columns: named, attributes: false,
      maxAhead: nil, isTrack: false)
    _ = try? other?.next(limit: 100)?.count
    let feed = try LocationFeed(
      bytes: Array(bytes), name: "feed", shape: shape, columns: LocationColumns(),
      attributes: true, maxAhead: 60, isTrack: true)
    var count = 0
    while let batch = try feed.next(limit: 2) { count += batch.count }
    _ = (feed.drainIssues(), feed.drainRemarks())
    return count > 0
  }
}
