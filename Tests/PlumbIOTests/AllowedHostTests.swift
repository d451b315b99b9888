import PlumbIO
import Testing

/// The hosts and buckets that a user allows, and the files in buckets to which they apply.
@Suite struct AllowedHostTests {
  @Test(arguments: [
    ("e.org", "e.org"), ("E.org:443", "e.org:443"), ("[::1]:80", "[::1]:80"), ("s3", "s3"),
    ("s3://maps", "s3://maps"), ("S3://maps/", "s3://maps"), ("s3://Maps.2", "s3://Maps.2"),
    ("gs://m_1", "gs://m_1"), ("gcs://m_1/", "gs://m_1"), ("az://c-1", "az://c-1"),
  ])
  func entries(text: String, shown: String) throws {
    let entry = try #require(AllowedHost(text))
    #expect(entry.description == shown)
    if case .bucket(let bucket) = entry {
      #expect(entry.port == nil && AllowedHost(shown) == entry)
      #expect(NetworkBucket(text) == bucket && NetworkHost(text) == nil)
    } else {
      #expect(NetworkBucket(text) == nil)
    }
  }

  @Test(arguments: [
    "", "s3:", "s3:maps", "s3:/maps", "s3://", "s3:///", "s3:///maps", "s3://maps/k",
    "s3://maps/k/", "s3://maps//", "s3://maps/.", "s3://maps/*", "s3://*", "s3://map*", "s3://map?",
    "s3://maps?x=y", "s3://maps#x", "s3://user@maps", "s3://user:key@maps", "s3://maps:9000",
    "s3://..", "s3://.", "s3://.maps", "s3://maps-", "s3://maps%2Fk", "s3://maps\\k", " s3://maps",
    "s3://maps ", "s3://m\u{E9}", "s3://maps\u{301}", "s3:\u{301}//maps", "/vsis3/maps",
    "/vsis3_streaming/maps", "https://maps", "https://maps.s3.amazonaws.com/", "ftp://maps",
    "s3://" + String(repeating: "a", count: 256),
  ])
  func textOfAnotherForm(text: String) {
    #expect(AllowedHost(text) == nil)
    #expect(NetworkBucket(text) == nil)
  }

  private func isAllowed(_ text: String, _ access: HostAccess) -> Bool {
    BucketName(text).map { access.allows($0) } ?? false
  }

  @Test func filesOfABucket() throws {
    let maps = try #require(NetworkBucket("s3://maps"))
    let server = try #require(NetworkHost("s3.example.org"))
    let access = HostAccess([], buckets: [maps])
    for text in [
      "s3://maps/k.tif", "S3://maps/k", "s3://maps/a b/\u{E9}.tif", "s3://maps/a..b/.c/k..tif",
      "s3://maps//k", "s3://maps/100%/k", "s3://maps/a%2Fb", "s3://maps/...", "s3://maps/a@b/k",
    ] {
      #expect(isAllowed(text, access), "\(text)")
      #expect(!isAllowed(text, HostAccess([server])), "\(text)")
      #expect(!isAllowed(text, HostAccess([server], buckets: [])), "\(text)")
    }
    for text in [
      // The bucket itself, and other buckets.
      "s3://maps", "s3://maps/", "s3://Maps/k", "s3://map/k", "s3://maps2/k", "gs://maps/k",
      "az://maps/k", "s3:///maps/k", "s3://../maps/k", "s3://maps.example.org/k",
      // Names that lead to another bucket for some reader.
      "s3://maps@other/k", "s3://other@maps/k", "s3://maps:9000/k", "s3://maps%2Fk/k",
      "s3://maps%2f..%2fother/k", "s3://maps?/k", "s3://maps#/k", "s3://maps\\other/k",
      "s3://maps\u{301}/k", "s3://maps\u{0}/k", "s3://maps /k",
      "s3://maps/../other/k", "s3://maps/a/../../other/k", "s3://maps/./k", "s3://maps/k/..",
      "s3://maps/%2e%2E/other/k", "s3://maps/%2e./other/k", "s3://maps/..%2fother/k",
      "s3://maps/a%2F..%2F..%2Fother/k", "s3://maps/a\\..\\k", "s3://maps/..%5cother/k",
      "s3://maps/k\n", "s3://maps/k\u{0}", "s3://maps/k%00", "s3://maps/k%0d%0aHost:other",
    ] {
      #expect(!isAllowed(text, access), "\(text)")
    }
    // The host of a server does not allow its buckets, and a bucket does not allow hosts.
    for url in ["http://maps/k", "https://maps.s3.amazonaws.com/k", "https://s3.example.org/maps"] {
      let origin = try #require(NetworkOrigin(url))
      #expect(!access.allows(origin), "\(url)")
    }
  }

  @Test func namesOfFilesHaveParts() {
    let file = BucketName("gcs://b.c/d/e.tif")
    #expect(file?.bucket == NetworkBucket("gs://b.c") && file?.bucket?.scheme == "gs")
    #expect(file?.key == Array("d/e.tif".utf8))
    #expect(BucketName(gdalPath: "/vsiaz/c/k")?.bucket == NetworkBucket("az://c"))
    #expect(BucketName("s3://b")?.key == [] && BucketName("s3://b/")?.hasPlainKey == false)
  }

  /// The server of a bucket may have any address, but only for the files of the bucket.
  @Test func settingsOfABucket() throws {
    #expect(HTTPSettings().ofBucket(at: "https://h/b/k") == HTTPSettings())
    var settings = HTTPSettings()
    settings.hosts = HostAccess([try #require(NetworkHost("e.org"))])
    let inner = settings.ofBucket(at: "http://10.0.0.1:9000/b/k?X-Amz-Signature=x")
    let access = try #require(inner.hosts)
    let origin = try #require(NetworkOrigin("http://10.0.0.1:9000/"))
    let address = try #require(NetworkAddress("10.0.0.1"))
    #expect(access.allows(origin) && access.allows(address, of: origin))
    for url in ["http://10.0.0.1/", "http://10.0.0.2:9000/", "https://e.org/"] {
      #expect(!access.allows(try #require(NetworkOrigin(url))), "\(url)")
    }
    #expect(settings.ofBucket(at: "http://a@b/k").hosts == HostAccess([]))
  }
}
