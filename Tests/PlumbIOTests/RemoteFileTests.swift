import Foundation
import PlumbTestSupport
import Synchronization
import Testing

@testable import PlumbIO

/// Remote files, intact and broken in every way: correct bytes or an error.
@Suite struct RemoteFileTests {
  private let folder: TemporaryFolder
  private let content: [UInt8]

  init() throws {
    folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 5)
    content = (0..<500_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    try write(content)
  }

  private func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("f.bin")), options: .atomic)
  }

  private static let quick: HTTPSettings = {
    var settings = HTTPSettings()
    settings.retryDelay = 0.01
    return settings
  }()

  private func open(
    _ server: RangeServer, _ name: String = "f.bin", pool: HTTPPool = HTTPPool()
  ) throws -> RemoteFile {
    let url = server.url(name)
    return try RemoteFile.open(settings: Self.quick, pool: pool) { () throws(HTTPError) in url }
  }

  private func read(_ file: RemoteFile, _ range: Range<Int>) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try bytes.withUnsafeMutableBytes { try file.read($0, at: range.lowerBound) }
    return Array(bytes[..<count])
  }

  /// A server whose replies after the first are wrong: the replies with the given numbers, or all.
  private func server(
    _ fault: RangeServer.Fault, at numbers: Set<Int>? = nil
  ) throws -> RangeServer {
    try RangeServer(folder: folder.path) { number, _ in
      number > 0 && numbers?.contains(number) != false ? fault : nil
    }
  }

  // MARK: Correct replies

  @Test func rangesAreTheFilesOwn() throws {
    let server = try RangeServer(folder: folder.path)
    let file = try open(server)
    #expect(file.byteCount == content.count)
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<100 {
      let start = Int.random(in: 0..<content.count, using: &generator)
      let size = Int.random(in: 0..<60_000, using: &generator)
      let end = min(content.count, start + size)
      #expect(try read(file, start..<start + size) == Array(content[start..<end]))
    }
    #expect(try read(file, content.count..<content.count + 10).isEmpty)
    let sent = server.requests
    #expect(file.statistics.requests == sent.count)
    #expect(file.statistics.bytes == sent.reduce(0) { $0 + $1.byteCount })
    // The connection is reused for the next request.
    #expect(server.connections <= 4)
  }

  @Test func prefetchedRangesAreRequestedOnce() throws {
    let server = try RangeServer(folder: folder.path)
    let file = try open(server)
    let tiles = (0..<40).map { 70_000 + $0 * 10_000..<78_000 + $0 * 10_000 }
    #expect(file.plan(tiles).pieces.count == 40)
    let fetch = RangeFetch(file, tiles)
    for (job, tile) in tiles.enumerated().shuffled() {
      #expect(try read(file, tile) == Array(content[tile]))
      // A second reader of the same tile.
      #expect(try read(file, tile) == Array(content[tile]))
      fetch.release(job)
    }
    #expect(server.requests.count == 41)
    // Adjacent tiles take one request; tiles in memory take none.
    let run = (0..<20).map { 100_000 + $0 * 1000..<101_000 + $0 * 1000 }
    server.forget()
    let second = RangeFetch(file, run + [10..<60_000])
    for tile in run { #expect(try read(file, tile) == Array(content[tile])) }
    #expect(server.requests.map(\.range) == ["bytes=100000-119999"])
    for job in 0..<21 { second.release(job) }
  }

  @Test func fetchesGoOnSeveralConnectionsButNoMoreThanAllowed() throws {
    let server = try RangeServer(folder: folder.path, delay: 0.02)
    let pool = HTTPPool()
    pool.connections = 3
    let file = try open(server, pool: pool)
    let tiles = (0..<30).map { 70_000 + $0 * 10_000..<72_000 + $0 * 10_000 }
    let fetch = RangeFetch(file, tiles)
    // The last tile is read first, before tiles for which no reader waits.
    #expect(try read(file, tiles[29]) == Array(content[tiles[29]]))
    #expect(server.requests.count < 20)
    for tile in tiles { #expect(try read(file, tile) == Array(content[tile])) }
    #expect(server.connections == 3 && server.requests.count == 31)
    withExtendedLifetime(fetch) {}
  }

  @Test func prefetchingIsBounded() throws {
    let server = try RangeServer(folder: folder.path)
    let pool = HTTPPool(budget: 50_000)
    let file = try open(server, pool: pool)
    let tiles = (0..<40).map { 70_000 + $0 * 10_000..<78_000 + $0 * 10_000 }
    let fetch = RangeFetch(file, tiles)
    #expect(try read(file, tiles[0]) == Array(content[tiles[0]]))
    // Six pieces fit, in addition to the first part of the file; none has been released.
    try waitUntil("the pieces that fit are fetched") { server.requests.count >= 7 }
    for (job, tile) in tiles.enumerated() {
      #expect(try read(file, tile) == Array(content[tile]))
      #expect(server.requests.count <= job + 8)
      fetch.release(job)
    }
    #expect(server.requests.count == 41)
  }

  @Test func rangesNoLongerNeededAreNotFetched() throws {
    let server = try RangeServer(folder: folder.path, delay: 0.05)
    let pool = HTTPPool()
    pool.connections = 1
    let file = try open(server, pool: pool)
    do {
      let fetch = RangeFetch(file, (0..<40).map { 70_000 + $0 * 10_000..<72_000 + $0 * 10_000 })
      withExtendedLifetime(fetch) {}
    }
    #expect(try read(file, 300_000..<320_000) == Array(content[300_000..<320_000]))
    #expect(server.requests.count <= 4)
  }

  @Test func listsAreKeptWithOneRequestEach() throws {
    let server = try RangeServer(folder: folder.path)
    let file = try open(server)
    try file.keep([60_000..<90_000, 300_000..<310_000, 310_000..<320_000])
    // Concurrent requests arrive in any order.
    #expect(
      Set(server.requests.compactMap(\.range))
        == ["bytes=0-65535", "bytes=65536-89999", "bytes=300000-319999"])
    #expect(server.requests.count == 3)
    server.forget()
    for start in stride(from: 60_000, to: 89_000, by: 997) {
      #expect(try read(file, start..<start + 1000) == Array(content[start..<start + 1000]))
    }
    try file.keep([0..<90_000])
    #expect(try read(file, 305_000..<315_000) == Array(content[305_000..<315_000]))
    #expect(server.requests.isEmpty)
  }

  @Test func aServerWithoutPartsGivesSmallFilesWhole() throws {
    let server = try RangeServer(folder: folder.path, hasRanges: false)
    let file = try open(server)
    #expect(file.byteCount == content.count)
    #expect(try read(file, 400_000..<420_000) == Array(content[400_000..<420_000]))
    #expect(file.plan([400_000..<420_000]).pieces.isEmpty)
    #expect(server.requests.count == 1)
    // A sparse file, larger than the limit for whole downloads.
    let path = folder.path("large.bin")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let large = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try large.truncate(atOffset: UInt64(RemoteFile.maximumFileBytes + 1))
    try large.close()
    #expect { try open(server, "large.bin") } throws: {
      "\($0)" == "the server does not support range requests, and the file is larger than 64 MB"
    }
  }

  @Test func redirectsAreFollowedOnceAndNotForEver() throws {
    let target = try RangeServer(folder: folder.path)
    let url = target.url("f.bin")
    let server = try RangeServer(folder: folder.path) { _, _ in
      .status("302 Found", headers: "Location: \(url)")
    }
    let file = try open(server)
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    // The second request used the redirected address.
    #expect(server.requests.count == 1 && target.requests.count == 2)
    #expect(file.statistics.requests == 3)
    let circle = try RangeServer(folder: folder.path) { _, request in
      .status("302 Found", headers: "Location: \(request.path)")
    }
    #expect { try open(circle) } throws: { "\($0)".contains("more than 5 times") }
    #expect(circle.requests.count == 6)
    let files = try RangeServer(folder: folder.path) { _, _ in
      .status("302 Found", headers: "Location: file:///etc/passwd")
    }
    #expect(throws: HTTPError.self) { try open(files) }
  }

  @Test func whereARedirectLedToMayNotHold() throws {
    let isOver = Mutex(false)
    let target = try RangeServer(folder: folder.path) { _, _ in
      isOver.withLock { $0 } ? .status("403 Forbidden") : nil
    }
    let url = target.url("f.bin")
    let server = try RangeServer(folder: folder.path) { number, _ in
      number == 0 ? .status("302 Found", headers: "Location: \(url)") : nil
    }
    let file = try open(server)
    isOver.withLock { $0 = true }
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    #expect(server.requests.count == 2 && target.requests.count == 2)
  }

  // MARK: Wrong replies, then correct ones

  @Test(
    arguments: [
      .short(100), .shortUnsaid(100), .reset(3000), .status("500 Internal Server Error"),
      .status("503 Service Unavailable"),
      .status("429 Too Many Requests", headers: "Retry-After: 0"),
    ] as [RangeServer.Fault])
  func brokenRepliesAreRequestedAgain(fault: RangeServer.Fault) throws {
    let server = try server(fault, at: [1, 2, 3])
    let file = try open(server)
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    #expect(server.requests.count == 5 && file.statistics.retries == 3)
    #expect(file.statistics.requests == 5)
  }

  @Test func closedConnectionsAreReopened() throws {
    let server = try server(.nothing, at: [1, 2, 3])
    let file = try open(server)
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    // libcurl repeats a request on a connection that was about to be closed.
    #expect(server.requests.count == 5 && (4...5).contains(file.statistics.requests))
    let broken = try self.server(.nothing)
    let other = try open(broken)
    #expect { try read(other, 200_000..<220_000) } throws: {
      "\($0)".contains("no response from the server")
    }
    #expect((7...8).contains(broken.requests.count))
  }

  @Test func retriesWaitAsTheServerRequests() throws {
    let server = try server(.status("429 Too Many Requests", headers: "Retry-After: 1"), at: [1])
    let file = try open(server)
    let start = ContinuousClock.now
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    #expect(ContinuousClock.now - start >= .seconds(1))
    let slow = try self.server(.status("503 Later", headers: "Retry-After: 3600"))
    let other = try open(slow)
    #expect { try read(other, 200_000..<220_000) } throws: { "\($0)".contains("delay of 3600 s") }
    #expect(slow.requests.count == 2)
  }

  // MARK: Wrong replies

  @Test(
    arguments: [
      (.short(100), "interrupted"), (.shortUnsaid(100), "interrupted"), (.reset(3000), "server"),
      (.status("500 Oops"), "500"),
    ] as [(RangeServer.Fault, String)])
  func whatStaysBrokenIsAnError(fault: RangeServer.Fault, words: String) throws {
    let server = try server(fault)
    let file = try open(server)
    #expect { try read(file, 200_000..<220_000) } throws: {
      "\($0)".contains(words) || "\($0)".contains("interrupted")
    }
    // Six attempts, then one for each further range.
    #expect(server.requests.count == 7)
    #expect(throws: HTTPError.self) { try read(file, 300_000..<320_000) }
    #expect(server.requests.count == 8)
    #expect(try read(file, 0..<65_536) == Array(content[..<65_536]))
  }

  @Test(
    arguments: [
      (.long(10), "more than requested"), (.noContentRange, "(Content-Range)"),
      (.contentRange("bytes 0-19999/500000"), "sends bytes 0 to 19999, requested 200000 to 219999"),
      (.contentRange("bytes 200000-209999/500000"), "requested 200000 to 219999"),
      (.contentRange("bytes 200000-219999/500001"), "replaced"),
      (.contentRange("bytes 200000-209999/*"), "more than requested"),
      (.contentRange("here it is"), "is invalid"), (.packed, "Content-Encoding"),
      (.status("404 Not Found"), "404 (not found)"),
      (.status("403 Forbidden"), "403 (not allowed)"),
      (.status("416 Range Not Satisfiable"), "416"), (.status("304 Not Modified"), "304"),
    ] as [(RangeServer.Fault, String)])
  func whatCannotBeTrustedIsAnErrorAtOnce(fault: RangeServer.Fault, words: String) throws {
    let server = try server(fault)
    let file = try open(server)
    for _ in 0..<3 {
      #expect { try read(file, 200_000..<220_000) } throws: { "\($0)".contains(words) }
    }
    // No further request is sent to such a server.
    #expect(server.requests.count == 2)
  }

  @Test(
    "A server that says no length, and no words behind a status", arguments: [500_000, 10, 65_536])
  func terseServers(size: Int) throws {
    let bytes = Array(content[..<size])
    try write(bytes)
    let server = try RangeServer(folder: folder.path) { _, _ in .terse }
    let file = try open(server)
    #expect(file.byteCount == size)
    #expect(server.requests.map(\.range) == ["bytes=0-65535", "bytes=-1"])
    #expect(try read(file, 0..<size) == bytes)
    #expect(try size < 300_000 || read(file, 200_000..<220_000) == Array(bytes[200_000..<220_000]))
    #expect(try size < 300_000 || read(file, 499_990..<500_000) == Array(bytes[499_990...]))
  }

  @Test func aPartWithoutALengthThatEndsEarlyIsAnError() throws {
    let server = try RangeServer(folder: folder.path) { number, _ in
      number == 0 ? .contentRange("bytes 0-65535/*") : .contentRange("bytes 200-200/*")
    }
    #expect { try open(server) } throws: { "\($0)".contains("sends bytes up to 65535 of 201") }
  }

  @Test func aWholeFileInsteadOfAPartIsUsedForWhatItIs() throws {
    let server = try server(.whole)
    let file = try open(server)
    #expect(try read(file, 200_000..<220_000) == Array(content[200_000..<220_000]))
    #expect(try read(file, 0..<content.count) == content)
    #expect(server.requests.count == 2)
  }

  @Test func aFileThatIsReplacedIsAnError() throws {
    let server = try RangeServer(folder: folder.path)
    let file = try open(server)
    // The file is as long as the other, so that only its tag differs.
    try write(content.reversed())
    for range in [200_000..<220_000, 100_000..<100_010] {
      #expect { try read(file, range) } throws: {
        "\($0)" == "the file was replaced while it was being read"
      }
    }
    #expect(try read(file, 0..<10) == Array(content[..<10]))
    #expect(server.requests.count == 2)
    // A whole file in reply to a range request is also the new file.
    let other = try self.server(.whole)
    let second = try open(other)
    try write(content)
    #expect(throws: HTTPError.self) { try read(second, 200_000..<220_000) }
  }

  @Test(arguments: [
    ("404 Not Found", "the server answers 404 (not found)"),
    ("403 Forbidden", "the server answers 403 (not allowed)"),
    ("418 Teapot", "the server answers 418"),
  ])
  func whatDoesNotOpenSaysWhyInOneLine(status: String, line: String) throws {
    let server = try RangeServer(folder: folder.path) { _, _ in .status(status) }
    #expect { try open(server) } throws: { "\($0)" == line }
    #expect(server.requests.count == 1)
  }

  @Test func anEmptyFileIsAnError() throws {
    try write([])
    #expect(throws: HTTPError.self) { try open(try RangeServer(folder: folder.path)) }
    #expect(throws: HTTPError.self) {
      try open(try RangeServer(folder: folder.path, hasRanges: false))
    }
  }

  /// The host of the server is not in the list of hosts.
  @Test func theServerOfABucketIsAllowedForItsFilesOnly() throws {
    let server = try RangeServer(folder: folder.path)
    let other = try RangeServer(folder: folder.path)
    let (url, target) = (server.url("f.bin"), other.url("f.bin"))
    var settings = Self.quick
    settings.hosts = HostAccess([], buckets: [try #require(NetworkBucket("s3://maps"))])
    let restricted = settings
    let file = try RemoteFile.open(settings: restricted, isInBucket: true, pool: HTTPPool()) {
      () throws(HTTPError) in url
    }
    let range = 200_000..<200_010
    #expect(try read(file, range) == Array(content[range]))
    #expect {
      try RemoteFile.open(settings: restricted, pool: HTTPPool()) { () throws(HTTPError) in url }
    } throws: { "\($0)".contains("is not an allowed host") }
    let redirecting = try RangeServer(folder: folder.path) { _, _ in
      .status("302 Found", headers: "Location: \(target)")
    }
    let start = redirecting.url("f.bin")
    #expect {
      try RemoteFile.open(settings: restricted, isInBucket: true, pool: HTTPPool()) {
        () throws(HTTPError) in start
      }
    } throws: { "\($0)".contains("is not an allowed host") }
    #expect(redirecting.requests.count == 1 && other.requests.isEmpty)
  }

  @Test func aServerThatIsNotThereIsAnError() throws {
    let server = try RangeServer(folder: folder.path)
    var settings = Self.quick
    settings.retries = 1
    // Nothing listens on this port.
    let port = server.port == 1 ? 2 : 1
    #expect {
      try RemoteFile.open(settings: settings, pool: HTTPPool()) { () throws(HTTPError) in
        "http://127.0.0.1:\(port)/f.bin"
      }
    } throws: { "\($0)".contains("no response from the server") }
    #expect {
      try RemoteFile.open(settings: settings, pool: HTTPPool()) { () throws(HTTPError) in
        "ftp://127.0.0.1/f.bin"
      }
    } throws: { "\($0)".contains("no response from the server") }
  }
}
