import Foundation
import PlumbTestSupport
import Testing

/// HTTPS by `--cert` and `--key`.
@Suite struct EncryptionTests {
  private static let map = TestPaths.rasters + "/cape.json"

  /// The reply that an HTTPS client received, and the server's certificate.
  private struct Response {
    var text: String
    var certificate: String
  }

  private static func sendRequest(_ server: RunningServer, _ path: String) throws -> Response {
    let run = try ProgramRun(TestPaths.program("TLSClient"), ["\(server.port)", path])
    #expect(run.status == 0, "\(run)")
    let parts = run.output.split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return Response(text: String(parts.last ?? ""), certificate: String(parts[0]))
  }

  /// A PEM file's bytes, in the client's format.
  private static func certificate(_ text: String) throws -> String {
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-") }
    let bytes = try #require(Data(base64Encoded: lines.joined()))
    return bytes.map { String($0, radix: 16) }.joined(separator: " ")
  }

  @Test func repliesAreEncrypted() throws {
    let folder = try TemporaryFolder()
    try folder.write("c.pem", Self.first.certificate)
    try folder.write("k.pem", Self.first.key)
    let server = try RunningServer([
      Self.map, "--cert", folder.path("c.pem"), "--key", folder.path("k.pem"),
    ])
    #expect(server.log.contains("listening on https://127.0.0.1:"))
    let answer = try Self.sendRequest(server, "/ogc?f=json")
    #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text.prefix(200))")
    #expect(answer.text.contains("https://localhost:\(server.port)/ogc"))
    #expect(try answer.certificate == Self.certificate(Self.first.certificate))
    // Unencrypted requests do not receive a reply; other requests do.
    let plain = try server.exchange(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    #expect(!plain.head.contains("200"), "\(plain.head)")
    #expect(try Self.sendRequest(server, "/health").text.hasPrefix("HTTP/1.1 200 "))
    // A long reply, in many parts.
    let long = try Self.sendRequest(
      server, "/arcgis/rest/services/cape/FeatureServer/1/query?where=1=1&outFields=*&f=json")
    let isWhole = long.text.hasSuffix("}\r\n0\r\n\r\n") || long.text.hasSuffix("}")
    #expect(isWhole, "\(long.text.suffix(40))")
  }

  private static func sendRequest(
    _ relay: CuttingRelay, _ path: String, _ table: String? = nil
  ) throws -> String {
    let run = try ProgramRun(
      TestPaths.program("TLSClient"), ["\(relay.port)", path] + (table.map { [$0] } ?? []))
    try relay.wait()
    let parts = run.output.split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count > 1 ? String(parts[1]) : ""
  }

  /// The value of a metric of samples.
  private static func samples(_ server: RunningServer, _ status: Int) throws -> Int {
    let text = try sendRequest(server, "/metrics").text
    let line = text.split(separator: "\n").first {
      $0.hasPrefix("plumb_requests_total{") && $0.contains("\"api_sample\"")
        && $0.contains("\"\(status)\"")
    }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  /// A connection that ends in the handshake, in a request or in a reply, at any byte, also within a
  /// TLS record. The request is not executed if it is incomplete, a part of a reply is not mistaken
  /// for the whole reply, and the server releases the connection.
  @Test(arguments: [false, true])
  func connectionsThatAreCut(isReset: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.write("c.pem", Self.first.certificate)
    try folder.write("k.pem", Self.first.key)
    let server = try RunningServer([
      Self.map, "--cert", folder.path("c.pem"), "--key", folder.path("k.pem"), "--timeout", "60",
    ])
    let path = "/api/sample?map=cape"
    let table = "lon,lat\n" + String(repeating: "18.6,-33.9\n", count: 4000)
    let relay = try CuttingRelay(server)
    let whole = try Self.sendRequest(relay, path, table)
    #expect(whole.hasPrefix("HTTP/1.1 200 ") && whole.hasSuffix("\r\n0\r\n\r\n"))
    let all = relay.counts
    let body = try #require(whole.firstRange(of: "\r\n\r\n")).upperBound
    #expect(try Self.samples(server, 200) == 1)
    for part in [1, 40, 300, all.toServer / 4, all.toServer / 2, all.toServer - 100] {
      let cut = try CuttingRelay(server, .init(toServer: part, isReset: isReset))
      #expect(try Self.sendRequest(cut, path, table).isEmpty)
    }
    #expect(try Self.samples(server, 200) == 1)
    for part in [1, 40, 600, 3000, all.toClient / 3, all.toClient / 3 * 2, all.toClient - 100] {
      let cut = try CuttingRelay(server, .init(toClient: part, isReset: isReset))
      let reply = try Self.sendRequest(cut, path, table)
      #expect(reply.isEmpty || reply.hasPrefix("HTTP/1.1 200 "), "\(reply.prefix(200))")
      #expect(!reply.hasSuffix("\r\n0\r\n\r\n"), "\(part) of \(all)")
      let values = reply.firstRange(of: "\r\n\r\n").map { reply[$0.upperBound...] } ?? ""
      #expect(whole[body...].hasPrefix(values), "\(part) of \(all)")
    }
    try waitUntil("the connections and requests have ended") {
      let text = try Self.sendRequest(server, "/metrics").text
      return text.contains("\nplumb_connections 1\n")
        && text.contains("\nplumb_requests_running 1\n")
    }
  }

  @Test func certificatesAreReplaced() throws {
    let folder = try TemporaryFolder()
    func write(_ name: String, _ pair: (certificate: String, key: String)) throws {
      try FileManager.default.createDirectory(
        atPath: folder.path(name), withIntermediateDirectories: true)
      try folder.write(name + "/c.pem", pair.certificate)
      try folder.write(name + "/k.pem", pair.key)
    }
    // Links to the newest files, as ACME clients maintain them.
    func link(_ name: String) throws {
      for file in ["c.pem", "k.pem"] {
        unlink(folder.path(file))
        try FileManager.default.createSymbolicLink(
          atPath: folder.path(file), withDestinationPath: name + "/" + file)
      }
    }
    try write("all/1", Self.first)
    try link("all/1")
    let server = try RunningServer([
      Self.map, "--cert", folder.path("c.pem"), "--key", folder.path("k.pem"),
    ])
    #expect(
      try Self.sendRequest(server, "/health").certificate
        == Self.certificate(Self.first.certificate))
    try folder.write("all/1/k.pem", Self.second.key)
    server.signal(SIGHUP)
    #expect(server.logs("the former certificate is kept: --key "))
    #expect(
      try Self.sendRequest(server, "/health").certificate
        == Self.certificate(Self.first.certificate))
    try write("all/2", Self.second)
    try link("all/2")
    server.signal(SIGHUP)
    try waitUntil("the new certificate is used") {
      try Self.sendRequest(server, "/health").certificate
        == Self.certificate(Self.second.certificate)
    }
  }

  @Test func wrongFilesAreRefused() throws {
    let folder = try TemporaryFolder()
    try folder.write("c.pem", Self.first.certificate)
    try folder.write("k.pem", Self.first.key)
    try folder.write("other.pem", Self.second.key)
    try folder.write("text", "hello\n")
    let (cert, key) = (folder.path("c.pem"), folder.path("k.pem"))
    for (arguments, message, status) in [
      (["--cert", cert, "--key", folder.path("other.pem")], "is not the key of --cert", 1),
      (["--cert", folder.path("text"), "--key", key], "is not a PEM file of certificates", 1),
      (["--cert", key, "--key", key], "is not a PEM file of certificates", 1),
      (["--cert", cert, "--key", cert], "is not a PEM file of a key without a passphrase", 1),
      (["--cert", folder.path("none"), "--key", key], "no such file", 1),
      (["--cert", cert], "--cert and --key must be given together", 64),
      (["--key", key], "--cert and --key must be given together", 64),
    ] as [([String], String, Int32)] {
      for more in [["--port", "0"], ["--check-config"]] {
        let run = try ProgramRun(
          TestPaths.program("plumb-server"), [Self.map] + arguments + more)
        #expect(run.status == status && run.errors.contains(message), "\(arguments): \(run)")
        #expect(status == 64 || run.errors.split(separator: "\n").count == 1, "\(run)")
      }
    }
    let right = try ProgramRun(
      TestPaths.program("plumb-server"), [Self.map, "--cert", cert, "--key", key, "--check-config"])
    #expect(right.status == 0, "\(right)")
  }

  // The key was created for these tests and is not used elsewhere.
  private static let first = (
    certificate: """
    -----BEGIN CERTIFICATE-----
    MIIBmjCCAUGgAwIBAgIUBM1wok1xTWeBz34h27Xd9rXXseUwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTIyMjYwNFoYDzIxMjYxMTAx
    MjIyNjA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARnt8f8H6KV4AXGJCCSFrnpTtB+tF9HiGuZMtlJUfJPU4Ra3sOrINCL
    NZz8s078ZEx8So+bwUF9AolQJN6he/YBo28wbTAdBgNVHQ4EFgQUgv5EYbHQsaWi
    unpxI1Nwn0lUQM4wHwYDVR0jBBgwFoAUgv5EYbHQsaWiunpxI1Nwn0lUQM4wDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDRwAwRAIgBjNRFaIQWDZ1d6SzsYMvnBtHtr49GROmLf4rjeGRquICIBL3
    euZgLAz+iRjs7p9/frrd99YGDtFujgruh+g1GCD3
    -----END CERTIFICATE-----
    """,
    key: """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsAW+EmWqWEg80JS1
    7kiuHeedRpvtsGGWEH2aNMoZ3BOhRANCAARnt8f8H6KV4AXGJCCSFrnpTtB+tF9H
    iGuZMtlJUfJPU4Ra3sOrINCLNZz8s078ZEx8So+bwUF9AolQJN6he/YB
    -----END PRIVATE KEY-----
    """
  )
  private static let second = (
    certificate: """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUJcI45aClu4Ihr1t0FwUj3auKmWkwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTIyMjYwNFoYDzIxMjYxMTAx
    MjIyNjA0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAARfLcoBdkV6+TRc4i4Kz6IqrBDJVDpUXnKb7X746UsM//wAc1g7BZpO
    AeC98p65Lst8I/aplRUYPE1zbsvWIHNro28wbTAdBgNVHQ4EFgQULo4cGH1uDYkY
    fGfNARY5KuXt2gMwHwYDVR0jBBgwFoAULo4cGH1uDYkYfGfNARY5KuXt2gMwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhAPv2cvV49HNurRrqEOUGZ67We4ly9k8XhqHygd+yC0M4AiEA
    t1bkeHRoQjym7L+5nQCXtG51zFKztT4qTzJ0Ye1bY90=
    -----END CERTIFICATE-----
    """,
    key: """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgiPOPfr2ihXgPhlYZ
    Zayy6w3FaIpyzgCx+BJXUbY3fW6hRANCAARfLcoBdkV6+TRc4i4Kz6IqrBDJVDpU
    XnKb7X746UsM//wAc1g7BZpOAeC98p65Lst8I/aplRUYPE1zbsvWIHNr
    -----END PRIVATE KEY-----
    """
  )
}
