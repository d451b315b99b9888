import PlumbIO
import Testing

/// References in documents at URLs.
@Suite struct RelativeAddressTests {
  /// The examples of RFC 3986, sections 5.4.1 and 5.4.2, without fragments.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"),
    (";x", "http://a/b/c/;x"), ("g;x?y#s", "http://a/b/c/g;x?y"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
    ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://h/x#y", "https://h/x#y"),
    ("S3://bucket/key", "S3://bucket/key"),
  ])
  func `examples of the standard`(_ reference: String, _ url: String) {
    #expect(RelativeAddress.resolve(reference, against: "http://a/b/c/d;p?q") == url)
  }

  @Test(arguments: [
    ("g", "http://a", "http://a/g"), ("g", "http://a?q", "http://a/g"),
    ("?y", "http://a", "http://a?y"), ("/g", "http://a:80/b?c/d", "http://a:80/g"),
    ("g", "http://a/b?c/d", "http://a/g"), ("./x:y", "http://a/b", "http://a/x:y"),
    ("é.tif", "http://a/ü/b", "http://a/ü/é.tif"), ("g", "http:", "http:/g"),
  ])
  func `unusual bases`(_ reference: String, _ base: String, _ url: String) {
    #expect(RelativeAddress.resolve(reference, against: base) == url)
  }
}
