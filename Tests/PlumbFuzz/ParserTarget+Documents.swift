import PlumbCore
import PlumbFormats
import PlumbIO

/// JSON, GeoJSON as a stream, and XML.
extension ParserTarget {
  static let jsonWords = [
    "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud83d", "\\ude00", "null", "true", "false",
    "-0", "1e5", "\u{1E}", "\n", "{\"a\":", "[[", "\u{FEFF}",
  ]

  static var documents: [ParserTarget] {
    [
      ParserTarget(
        "json",
        texts: [
          #"{"a":[1,-2.5e3,true,false,null,"b\n\"\\\/\b\f\r\t\u00e9\ud83d\ude00 \ud83d é"],"":{}}"#,
          #" [ ] "#, #"{"a":{"b":[{"c":[[[]]]},{}]},"n":123456789012345678901234567890}"#,
          "{} {}", "\u{FEFF}[-0,0.1,1E+2,9223372036854775807,-9223372036854775808,1e999]", "\"x\"",
          String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        ], words: jsonWords
      ) { bytes in
        let isValid = JSONScanner.isValid(bytes.text)
        walkJSON(bytes.text)
        let tree = try JSONTree(bytes)
        var written: [UInt8] = []
        tree.append(to: &written)
        _ = tree.what
        return isValid
      },
      ParserTarget(
        "geojson stream",
        texts: [
          #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:"#
            + #"EPSG::32734"}},"features":[{"type":"Feature","id":7,"properties":{"a":1,"b":"x"},"#
            + #""geometry":{"type":"Point","coordinates":[18,-34,5]}},{"type":"Feature","#
            + #""geometry":null,"properties":null}, {"type":"Feature","properties":{"c":[1]},"#
            + #""geometry":{"type":"LineString","coordinates":[[0,0],[1,1]]}}],"crs":null}"#,
          #"{"type":"Feature","geometry":{"type":"MultiPoint","coordinates":[[1,2]]},"properties":{}}"#
            + "\n\n{broken\n" + #"{"type":"Point","coordinates":[1,2]}"# + "\n",
          "\u{1E}" + #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#
            + "\n\u{1E}" + #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[]}}"#,
          #"{"type":"Point","coordinates":[1,2]}"#,
          "\u{FEFF}" + #" { "features" : [ ] , "type" : "FeatureCollection" , "name" : "x" } "#,
          #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[]}]}"#,
          "{broken\n" + #"{"type":"Feature","geometry":null,"properties":{"a":1}}"# + "\n", " \n",
          #"{"type":"Other"}"#, "[1]", #"{"type":"FeatureCollection","features":{}}"#, "\u{1E}",
          #"{"type":"Feature","properties":{}} {"type":"Feature"}"#, "{\0\"\0a\0",
          #"{"crs":{"type":"name","properties":{"name":"http://www.opengis.net/def/crs/EPSG/0/4326"}},"#
            + #""type":"FeatureCollection","features":[]}"#,
          #"{"crs":{"type":"name","properties":{"name":"EPSG:4326"}},"features":[]}"#,
          #"{"crs":{"type":"EPSG","properties":{"code":"CRS84"}},"features":[]}"#,
          #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","#
            + #""coordinates":["1","2"]}},{"type":"Feature","geometry":{"type":"Polygon"}}]}"#,
        ], words: jsonWords + ["\"features\":[", "\"crs\":", "\"coordinates\":[", "}\n{"]
      ) { bytes in
        let read = bytes.reader(step: 61)
        let reader = try GeoJSONReader(featureLimit: 1 << 11, bufferSize: 64) { read($0) }
        var (rows, merge) = (0, GeoJSONFieldMerge())
        while let batch = try reader.next(limit: 3) {
          rows += batch.count
          merge.add(batch)
          for row in 0..<batch.count {
            _ = batch.fields(at: row)
            _ = batch.value(named: "a", at: row)
            _ = batch.firstProperty(among: [Array("b".utf8)], at: row)
          }
        }
        return rows > 0 && merge.fields.count >= 0
      },
      ParserTarget("xml prologue", corpus: prologues, words: markup) { bytes in
        let read = bytes.reader(step: 61)
        let finding = XMLPrologue.look(limit: 1 << 11) { read($0) }
        return finding.fault == nil && finding.namesDeclarations
      },
      ParserTarget(
        "xml",
        texts: [
          "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- c --><a:b x='1' y:z = \"&lt;&#65;"
            + "&#x42;&bad;\"><![CDATA[<&>]]> t &amp; u<c/><c k=v></c></a:b>",
          "\u{FEFF}<Caps><Layer queryable=\"1\"><Name>a</Name></Layer></Caps>",
          "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;&quot;&apos;&gt;\u{E9}</a>", "<a", "<a></b>",
          "</a>",
          "<?xml encoding='windows-1252'?><a>x</a>",
        ],
        words: markup
      ) { bytes in
        if let base = bytes.text.baseAddress {
          // The input is truncated at any byte, because the rest may still arrive.
          let window = XMLWindow(base, 0..<bytes.count, isAtEnd: false, isFull: false)
          if case .start(_, let attributes, _) = XMLTokens.next(window).token {
            _ = XMLTokens.attribute("x", in: attributes, of: window)
          }
          for start in stride(from: 0, to: bytes.count, by: 5) {
            let rest = XMLWindow(base, start..<bytes.count, isAtEnd: start % 2 == 0, isFull: false)
            if case .declaration(let range) = XMLTokens.next(rest).token {
              _ = XMLTokens.attribute("encoding", in: range, of: rest)
            }
          }
        }
        let element = try XMLElement(bytes)
        return element.child("c") != nil || !element.name.isEmpty
      },
    ]
  }

  private static let markup = [
    "<", ">", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "</a>", "<a>", "&", ";", "=", "'",
    "\"",
    "/>", "&#x110000;", "&#99999999999;", "<!ENTITY ", "<!DOCTYPE ", "%", "[", "]", "encoding=",
  ]

  /// The content before a first element, in several encodings.
  private static var prologues: [[UInt8]] {
    let declared =
      "<?xml version=\"1.0\" encoding='UTF-16'?>\n<!-- - -- --->\n<?pi x?><!DOCTYPE a PUBLIC \"b\" 'c' ["
      + "<!ENTITY d \"e&#65;&#x42;&lt;\"><!ELEMENT f (g)><!ATTLIST a b CDATA \"c\"><?pi?><!-- c -->"
      + "<!NOTATION n SYSTEM 'm'>]><a/>"
    let texts = [
      "<!DOCTYPE a SYSTEM \"b.dtd\"><a/>", "<?xml version='1.0' encoding='ISO-8859-1'?><_a/>",
      "<!DOCTYPE a [<!ENTITY % b 'c'>]><a/>", "<!DOCTYPE a [<!ENTITY b '&c;'>]><a/>",
      "<!DOCTYPE a [<!ENTITY b SYSTEM 'c'>]><a/>", "<!DOCTYPE a [%b;]><a/>", "<!DOCTYPE a <",
      "text",
      "<?xml version='1.0' encoding='x-none'?><a/>", "<?xml encoding=UTF-8?><a/>",
      "<!DOCTYPE a [<b",
      "<!DOCTYPE a [<!ENTITY b '%c;'>]><a/>", "<!DOCTYPE a 'b", "<!- a", "<!x>", "<?xml ! ?>",
      "<!DOCTYPE a [<!ELEMENT b %c;>]><a/>", "<!DOCTYPE a [<!X>]>", "<!DOCTYPE a [<!-x", "<?pi",
    ]
    func wide(_ text: String, _ zeros: Int, isBig: Bool) -> [UInt8] {
      let padding = [UInt8](repeating: 0, count: zeros)
      return text.utf8.flatMap { isBig ? padding + [$0] : [$0] + padding }
    }
    return texts.map { Array($0.utf8) } + [
      [0xFF, 0xFE] + wide(declared, 1, isBig: false),
      [0xFE, 0xFF] + wide(declared, 1, isBig: true),
      wide("<a/>", 1, isBig: false), wide("<a/>", 3, isBig: true), wide(texts[0], 3, isBig: false),
      [0xEF, 0xBB, 0xBF] + Array(declared.replacing("UTF-16", with: "UTF-8").utf8),
      Array(declared.utf8),
    ]
  }

  /// Scans JSON with every scanning call.
  private static func walkJSON(_ bytes: UnsafeBufferPointer<UInt8>) {
    var scanner = JSONScanner(bytes)
    func walk(_ depth: Int) throws {
      switch scanner.peek() {
      case UInt8(ascii: "{")? where depth < 64:
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          _ = (scanner.isText(key, "a"), scanner.text(of: key), scanner.wholeText(of: key))
          try walk(depth + 1)
        }
      case UInt8(ascii: "[")? where depth < 64:
        try scanner.beginArray()
        while try scanner.nextElement() { try walk(depth + 1) }
      case UInt8(ascii: "-")?:
        _ = try scanner.readDouble()
      default: _ = try scanner.readFieldValue()
      }
    }
    try? walk(0)
    _ = scanner.isAtEnd()
  }
}
