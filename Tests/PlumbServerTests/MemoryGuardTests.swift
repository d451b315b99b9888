import Foundation
import PlumbTestSupport
import Testing

/// A server that has little memory ends requests that need more, and goes on answering.
@Suite(.serialized) struct MemoryGuardTests {
  @Test func requestsThatNeedTooMuchAreEnded() throws {
    let map = TestPaths.rasters + "/cape.json"
    let server = try RunningServer([map, "--memory", "100MB", "--cache", "8MB", "--timeout", "20"])
    let list = String(repeating: "[18.86,-33.93],", count: 200_000) + "[18.86,-33.93]"
    let body = Array("{\"map\":\"cape\",\"at\":[\(list)]}".utf8)
    let reply = try server.request(
      "POST", "/api/identify", ["Content-Type": "application/json"], body: body)
    #expect(reply.status == 503 || reply.status == 200, "\(reply.head)")
    #expect(try server.request("/health").status == 200)
    let small = try server.request("/api/identify?map=cape&at=18.86,-33.93")
    #expect(small.status == 200)
  }
}
