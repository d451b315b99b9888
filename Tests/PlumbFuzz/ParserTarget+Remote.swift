import PlumbCore
import PlumbIO

/// Replies of servers.
extension ParserTarget {
  static var remote: [ParserTarget] {
    [
      ParserTarget(
        "http head",
        texts: [
          "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99/1000\r\nETag: \"a\"\r\n"
            + "Content-Length: 100\r\nContent-Type: Image/TIFF; a=b\r\n\r\nabc\ndef\n",
          "HTTP/1.1 206\r\nContent-Range: bytes 0-99/*\r\nContent-Encoding: identity\r\n\r\nabc",
          "HTTP/2 200 \r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n" + "abc\n",
          "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nHTTP/1.1 503 Later\r\nRetry-After: 120\r\n",
          "HTTP/1.1 429 No\r\nRetry-After: Sun, 06 Nov 2094 08:49:37 GMT\r\nContent-Encoding: br\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc\nd\n", "nonsense\r\n: \r\n",
          "HTTP/1.1 206 P\r\nContent-Range: bytes 5-9/1000\r\n\r\nabcde\n",
          "HTTP/1.1 206 P\r\nContent-Range: parts 1\r\n\r\nabc\n", "HTTP/1.1 206 P\r\n\r\nabc\n",
          "HTTP/1.1 416 R\r\nContent-Range: bytes */50\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nabc\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nabc\n",
          "HTTP/1.1 404 No\r\nContent-Length: 12\r\n\r\n{\"error\":1}\n",
        ],
        words: [
          "\r\n", "HTTP/1.1 200 OK\r\n", "Content-Range: bytes 5-2/", ": ", "-", "/", " ", "GMT",
        ]
      ) { bytes in
        // The lines before the first empty line are the head; the remaining lines are the body.
        let receiver = HTTPReceiver()
        var settings = HTTPSettings()
        settings.retries = 0
        receiver.begin(
          HTTPRequest(url: "http://a/", range: 0..<100, settings: settings, maximumBytes: 1 << 12))
        var (position, isBody, shouldContinue) = (0, false, true)
        while position < bytes.count, shouldContinue {
          let end = bytes[position...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
          let line = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
          isBody = isBody || line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
          shouldContinue = isBody ? receiver.appendBody(line) : receiver.appendHeader(line)
          position = end
        }
        _ = HTTPHead.seconds(ofDate: bytes.string)
        return (receiver.fetched?.count ?? 0) > 0
      },
      ParserTarget(
        "http listing",
        texts: [
          "<a href=\"a.tif\">a</a> <A HREF='b.tif?x=1'>b</A> <a href=\"./c&amp;d\">c</a>",
          "<a href=\"/t/e\">e</a><a href=\"http://h/t/f#1\"></a><a href=g><a href=\"../\">",
        ], words: ["href=\"", "href='", "\"", "'", "href=", "&amp;"]
      ) { bytes in
        let folder = RemoteListing.folder(of: "http://h/t/x?a=/") ?? ""
        _ = RemoteListing.folder(of: bytes.string)
        return !RemoteListing.names(in: bytes, of: folder).isEmpty
      },
      ParserTarget(
        "network address",
        texts: [
          "127.0.0.1", "::1", "[::1]:8080", "example.org.", "Example.org:443", "fe80::1",
          "10.0.0.1",
          "https://example.org:8443/a?b#c", "http://[::1]/", "http://user:pass@host/x",
          "::ffff:1.2.3.4",
          "100.64.0.1", "169.254.1.1", "172.16.0.1", "192.168.0.1", "198.18.0.1", "2002:a00:1::",
          "64:ff9b::7f00:1", "::7f00:1", "fc00::1", "ff02::1", "http://a\\b/", "host:99999",
          "s3://maps", "gs://maps/", "az://c-1/k", "s3://.a",
        ], words: ["[", "]", ":", "://", "@", ".", "%", "::", "s3://"]
      ) { bytes in
        let text = bytes.string
        let address = NetworkAddress(text)
        _ = (address?.isInternal, address?.isLoopback, address?.description)
        if let address { precondition(address.begins(with: address.network, bits: 64)) }
        let origin = NetworkOrigin(text) ?? NetworkOrigin("http://\(text)/")
        let host = NetworkHost(text)
        if let origin, let host {
          let access = HostAccess([host])
          _ = (access.allows(origin), address.map { access.allows($0, of: origin) })
        }
        let entry = AllowedHost(text)
        if case .bucket(let bucket)? = entry {
          precondition(NetworkBucket(bucket.description) == bucket, "another bucket")
        }
        return address != nil || entry?.description != nil || origin?.description != nil
      },
    ]
  }
}
