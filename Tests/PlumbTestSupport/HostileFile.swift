/// The text of small files that crash their readers or keep them busy forever.
public enum HostileFile {
  /// A track without times, which crashes GDAL 3.6's KML driver.
  public static let track = """
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Folder>
    <Placemark><gx:Track><gx:coord>18.4 -33.9 1</gx:coord><gx:coord>18.5 -33.9 2</gx:coord></gx:Track>
    </Placemark></Folder></kml>
    """

  /// A drawing of nested blocks: one line, repeated 10^depth times.
  public static func nestedBlocks(depth: Int) -> String {
    var text = section("HEADER", pair(9, "$ACADVER") + pair(1, "AC1015"))
    var blocks = block("B0", line)
    for level in 1...depth {
      blocks += block(
        "B\(level)",
        String(repeating: insert("B\(level - 1)", ""), count: 10))
    }
    text += section("BLOCKS", blocks) + section("ENTITIES", insert("B\(depth)", ""))
    return text + pair(0, "EOF")
  }

  /// A drawing of one line in an array of `side` rows and columns.
  public static func array(side: Int) -> String {
    let counts = pair(70, "\(side)") + pair(71, "\(side)") + pair(44, "1") + pair(45, "1")
    return section("HEADER", pair(9, "$ACADVER") + pair(1, "AC1015"))
      + section("BLOCKS", block("B0", line)) + section("ENTITIES", insert("B0", counts))
      + pair(0, "EOF")
  }

  /// A topology with one arc that is repeated `count` times in one line.
  public static func repeatedArcs(_ count: Int) -> String {
    let points = String(repeating: "[0,0],[1,1],", count: 20_000) + "[0,0]"
    let arcs = String(repeating: "0,", count: count - 1) + "0"
    return #"{"type":"Topology","arcs":[[\#(points)]],"objects":{"a":{"type":"GeometryCollection","#
      + #""geometries":[{"type":"LineString","arcs":[\#(arcs)]}]}}}"#
  }

  private static let line =
    pair(0, "LINE") + pair(8, "0") + pair(10, "18") + pair(20, "-34") + pair(11, "19")
    + pair(21, "-33")

  private static func pair(_ code: Int, _ value: String) -> String { "\(code)\n\(value)\n" }

  private static func section(_ name: String, _ body: String) -> String {
    pair(0, "SECTION") + pair(2, name) + body + pair(0, "ENDSEC")
  }

  private static func block(_ name: String, _ body: String) -> String {
    pair(0, "BLOCK") + pair(8, "0") + pair(2, name) + pair(70, "0") + pair(10, "0") + pair(20, "0")
      + pair(3, name) + body + pair(0, "ENDBLK") + pair(8, "0")
  }

  private static func insert(_ name: String, _ counts: String) -> String {
    pair(0, "INSERT") + pair(8, "0") + pair(2, name) + pair(10, "0") + pair(20, "0") + counts
  }
}
