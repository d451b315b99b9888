import Foundation
import PlumbTestSupport
import Testing

/// `--config` and `--check-config`.
@Suite struct ConfigurationTests {
  private func check(_ json: String, _ arguments: [String] = []) throws -> ProgramRun {
    let folder = try TemporaryFolder()
    try folder.write("c.json", json)
    return try ProgramRun(
      TestPaths.program("plumb-server"),
      ["--config", folder.path("c.json"), "--check-config"] + arguments)
  }

  @Test func validOptions() throws {
    let run = try check(#"{"maps":["rasters/cape.json"],"port":9,"open":true,"bind":"0.0.0.0"}"#)
    #expect(run.status == 0 && run.errors.contains("the configuration is valid"), "\(run)")
  }

  /// Each fault has one line.
  @Test(
    arguments: [
      (
        #"{"maps":["no1.json","no2.json"],"network":["no3.json"],"token-file":"no4","cert":"no5","key":"no6"}"#,
        1,
        [
          "--cert: no such file: no5", "--token-file: no such file: no4", "no1.json", "no2.json",
          "no3.json",
        ]
      ),
      (
        #"{"maps":["no.json"],"port":"abc","timeout":-1,"log":"xml","hugo":1,"cors":{}}"#, 64,
        ["cors: expected", "hugo is not an option", "'xml'", "'abc'", "--timeout", "no.json"]
      ),
      (
        #"{"maps":["rasters/cape.json"],"bind":"999.1.1.1","open":true}"#, 1,
        ["cannot listen on 999.1.1.1"]
      ),
      (#"{"maps":["rasters/cape.json"],"port":1,"port":null}"#, 1, ["port is repeated"]),
      (#"{"maps":["rasters/cape.json"],"version":true}"#, 1, ["version is not an option"]),
      (
        #"{"maps":["rasters/cape.json","rasters/cape.json"],"bind":"0.0.0.0"}"#, 64,
        ["--bind 0.0.0.0", "would both be the service cape"]
      ),
      (#"{}"#, 64, ["name a map"]),
      (#"{"maps":["rasters/cape.json"]"#, 1, ["invalid JSON"]),
    ] as [(String, Int32, [String])])
  func faults(json: String, status: Int32, faults: [String]) throws {
    let run = try check(json)
    let lines = run.errors.split(separator: "\n")
    #expect(run.status == status && lines.count == faults.count, "\(run)")
    for fault in faults { #expect(lines.contains { $0.contains(fault) }, "\(fault): \(run)") }
    for line in lines { #expect(line.hasPrefix("plumb-server: error: "), "\(line)") }
  }
}
