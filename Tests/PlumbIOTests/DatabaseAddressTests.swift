import PlumbCore
import PlumbIO
import Testing

/// Addresses of databases and names of buckets.
@Suite struct DatabaseAddressTests {
  @Test func passwordsAreNotShown() {
    for (text, shown) in [
      ("PG:dbname=town", "PG:dbname=town"),
      ("PG:dbname=town password=x", "PG:dbname=town password=…"),
      ("pg:PASSWORD = 'a b\\' c' dbname='a b'", "PG:password=… dbname='a b'"),
      ("PG:password='a b", "PG:…"),
      ("PG:dbname=town password x", "PG:…"),
      ("postgresql://u:p@h:5/d", "postgresql://u:…@h:5/d"),
      ("postgres://u:p/q?r@h/d?sslpassword=x&a=b", "postgres://u:…@h/d?sslpassword=…&a=b"),
      ("postgresql://u@h/d?password=x&a=b", "postgresql://u@h/d?password=…&a=b"),
      ("postgresql:///d", "postgresql:///d"),
      // A combining character after a mark.
      ("postgresql://u:\u{301}p@h/d", "postgresql://u:…@h/d"),
      ("postgresql://u:p@\u{301}x@h/d", "postgresql://u:…@h/d"),
      ("postgresql://u@h/d?\u{301}a&password=\u{301}x", "postgresql://u@h/d?\u{301}a&password=…"),
    ] {
      #expect(DatabaseAddress(text)?.shown == shown, "\(text)")
      #expect(text.printable == text.withoutPasswords)
      #expect(!text.printable.contains("a b\\'"))
    }
    #expect("points.csv".printable == "points.csv")
    #expect(DatabaseAddress("pgx:a") == nil && DatabaseAddress("p") == nil)
  }

  @Test func parameters() throws {
    let address = try #require(DatabaseAddress("PG:host=a Port = 5 dbname='x \\' y'"))
    #expect(address.value("port") == "5" && address.value("dbname") == "x ' y")
    let more = address.adding([.init(name: "host", value: "b c")])
    #expect(more.value("host") == "b c" && more.value("dbname") == "x ' y")
    // An unescaped mark would end the value, so that the rest would be further parameters.
    let name = "x'\u{301} host=h"
    let other = address.adding([.init(name: "dbname", value: name)])
    #expect(other.value("dbname") == name && other.value("host") == "a")
    #expect(other.text.utf8.contains { $0 == UInt8(ascii: "\\") })
  }

  @Test func buckets() {
    #expect(BucketName("s3://b/k.tif")?.gdalPath == "/vsis3/b/k.tif")
    #expect(BucketName("GS://b/k.tif")?.gdalPath == "/vsigs/b/k.tif")
    #expect(BucketName("az://c/k.tif")?.gdalPath == "/vsiaz/c/k.tif")
    #expect(BucketName("s3:/b/k.tif") == nil && BucketName("https://h/k.tif") == nil)
    #expect(BucketName.gdalPath(of: "a.tif") == "a.tif")
  }
}
