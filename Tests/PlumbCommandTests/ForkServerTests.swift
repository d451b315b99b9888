#if os(Linux)
  import Foundation
  @testable import PlumbTestSupport
  import Testing

  /// Runs in forked processes have the results of runs in new processes.
  @Suite struct ForkServerTests {
    private static let plumb = TestPaths.program("plumb")

    private static func expectSame(
      _ arguments: [String], input: String = "", folder: String? = nil, status: Int32
    ) throws {
      let runs = try [false, true].map {
        try ProgramRun(plumb, arguments, input: input, folder: folder, isSpawned: $0)
      }
      for run in runs {
        #expect(run.status == status, "\(run.errors)")
        #expect(!run.output.isEmpty || !run.errors.isEmpty)
      }
      #expect(runs[0].output == runs[1].output)
      #expect(runs[0].errors == runs[1].errors)
    }

    @Test func resultsAndErrors() throws {
      let folder = try TemporaryFolder()
      try folder.write("points.csv", "x,y\n18.6,-34.1\n")
      let raster = TestPaths.rasters + "/evi_cape_town.tif"
      let points = ["identify", raster, "--crs", "EPSG:4326", "--points"]
      try Self.expectSame(points + ["points.csv"], folder: folder.path, status: 0)
      try Self.expectSame(points + ["-"], input: "x,y\n18.6,-34.1\n19,-34\n", status: 0)
      try Self.expectSame(["eval", "1 + "], status: 1)
      try Self.expectSame(["identify", "a b.tif", "--at", "0,0"], folder: folder.path, status: 1)
      try Self.expectSame(["identify", "", "--at", "0,0"], folder: folder.path, status: 1)
      try Self.expectSame(["identify", "--unknown"], status: 64)
      try Self.expectSame(["--version"], status: 0)
    }

    /// Runs at the same time do not exchange their files or statuses.
    @Test func manyAtOnce() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let run = try ProgramRun(
              Self.plumb, ["eval", "\(number)" + (number % 4 == 3 ? " +" : " * 2")])
            #expect(run.status == (number % 4 == 3 ? 1 : 0))
            #expect(run.output == (number % 4 == 3 ? "" : "\(number * 2)\n"))
          }
        }
        try await group.waitForAll()
      }
    }

    @Test func theServerStarts() { #expect(ForkServer.shared != nil) }
  }
#endif
