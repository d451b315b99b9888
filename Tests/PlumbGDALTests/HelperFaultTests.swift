import Foundation
import PlumbCore
import PlumbSandbox
import PlumbTestSupport
import Testing

@testable import PlumbGDAL

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Rule: if a helper crashes, hangs or is killed, the current request fails with a one-line error;
/// the next request uses a new helper.
@Suite struct HelperFaultTests {
  private static let plain = """
    <kml xmlns="http://www.opengis.net/kml/2.2"><Document>\(
      (1...9).map {
        "<Placemark><name>\($0)</name><Point><coordinates>\($0),1</coordinates></Point></Placemark>"
      }.joined())</Document></kml>
    """

  private func fault(_ body: () throws -> Void) -> GDALError? {
    do {
      try body()
      return nil
    } catch {
      return error as? GDALError
    }
  }

  @Test func `a crash is one line that names the file and the driver`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(HostileFile.track, "track.kml")
    for _ in 0..<2 {
      let error = fault { _ = try VectorListing.of(path: path) }
      #expect(error?.isHelperFault == true)
      let message = error?.message ?? ""
      #expect(message.contains("track.kml") && message.contains("LIBKML crashed"), "\(message)")
    }
    let other = try scratch.write(Self.plain, "plain.kml")
    #expect(try VectorListing.of(path: other)?.layers.count == 1)
  }

  @Test func `a helper that is killed in the middle of a layer`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(Self.plain, "plain.kml")
    let cursor = try HelperLayerCursor(
      path: path, layer: nil, keepsText: true, access: .named(path))
    let reading = FeatureReading(limit: 2, skipsBadShapes: true)
    for _ in 0..<2 {
      cursor.restart(in: nil)
      #expect(try cursor.next(reading, nil)?.numbers.count == 2)
      kill(try #require(cursor.member).process.process, SIGKILL)
      let error = fault { _ = try cursor.next(reading, nil) }
      #expect(error?.message.hasSuffix("the helper process that read it was terminated") == true)
      #expect(fault { _ = try cursor.next(reading, nil) } != nil)
    }
    cursor.restart(in: nil)
    var count = 0
    while let batch = try cursor.next(reading, nil) { count += batch.numbers.count }
    #expect(count == 9)
  }

  @Test func `cancelled work does not wait for a helper that hangs`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(HostileFile.nestedBlocks(depth: 9), "b.dxf")
    let cancellation = WorkCancellation()
    Workers.detach {
      usleep(300_000)
      cancellation.cancel()
    }
    var error: GDALError?
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(cancellation) {
        error = fault { _ = try VectorListing.of(path: path) }
      }
    }
    #expect(error?.message.hasSuffix("the work was cancelled") == true)
  }

  @Test func `the work that waits for the largest helper`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(HostileFile.nestedBlocks(depth: 9), "b.dxf")
    #expect(RunningHelpers.largestWork(minimum: 1 << 40) == nil)
    let cancellation = WorkCancellation()
    let isFound = WaitableState(false)
    Workers.detach {
      let end = ContinuousClock.now + .seconds(60)
      while RunningHelpers.largestWork(minimum: 32 << 20) !== cancellation, .now < end {
        usleep(1000)
      }
      isFound.change { $0 = .now < end }
      cancellation.cancel()
    }
    #expect(throws: CancellationError.self) {
      try WorkCancellation.run(cancellation) { _ = fault { _ = try VectorListing.of(path: path) } }
    }
    #expect(isFound.wait(seconds: 1) { $0 ? true : nil } == true)
  }

  #if os(Linux)
    @Test func `the system ends a helper before this process`() throws {
      let scratch = try VectorScratch()
      let path = try scratch.write(Self.plain, "plain.kml")
      let cursor = try HelperLayerCursor(
        path: path, layer: nil, keepsText: true, access: .named(path))
      cursor.restart(in: nil)
      _ = try cursor.next(FeatureReading(limit: 2, skipsBadShapes: true), nil)
      let process = try #require(cursor.member).process.process
      let score = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
      #expect(score == "1000\n")
    }
  #endif

  @Test func `many readers at once`() throws {
    let scratch = try VectorScratch()
    let path = try scratch.write(Self.plain, "plain.kml")
    let counts = try Workers(count: 8).map(24) { _, _ in
      let reader = try VectorFeatureReader(path: path)
      var count = 0
      while let features = try reader.next(limit: 4) { count += features.count }
      return count
    }
    #expect(counts == [Int](repeating: 9, count: 24))
  }
}
