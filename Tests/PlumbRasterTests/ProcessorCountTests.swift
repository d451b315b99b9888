import Foundation
@testable import PlumbCore
import PlumbTestSupport
import Testing

/// CPU quotas of control groups, in the formats of both cgroup versions.
struct ProcessorCountTests {
  private func quota(_ groups: String, _ files: [String: String]) throws -> Int? {
    let folder = try TemporaryFolder()
    for (path, text) in files.merging(["proc/self/cgroup": groups], uniquingKeysWith: { a, _ in a })
    {
      let url = URL(fileURLWithPath: folder.path(path))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return ProcessorCount.quota(root: folder.path)
  }

  @Test(arguments: [
    ("200000 100000\n", 2), ("150000 100000\n", 2), ("1000 100000\n", 1), ("50000 50000\n", 1),
    ("max 100000\n", nil), ("", nil), ("x y\n", nil), ("-1 100000\n", nil), ("100000 0\n", nil),
    ("9223372036854775807 1\n", Int.max),
  ])
  func `the unified hierarchy's quota, rounded up`(text: String, expected: Int?) throws {
    #expect(try quota("0::/\n", ["sys/fs/cgroup/cpu.max": text]) == expected)
  }

  @Test func `the smallest quota of a group and its ancestors applies`() throws {
    let files = [
      "sys/fs/cgroup/a/cpu.max": "300000 100000\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
      "sys/fs/cgroup/other/cpu.max": "100000 100000\n",
    ]
    #expect(try quota("0::/a/b\n", files) == 3)
    #expect(try quota("0::/a/b/none/there\n", files) == 3)
    #expect(try quota("0::/none\n", files) == nil)
  }

  @Test(arguments: ["cpu", "cpu,cpuacct"])
  func `the older hierarchies' quota`(controllers: String) throws {
    let groups = "12:memory:/docker/1\n4:\(controllers):/docker/1\n1:name=systemd:/docker/1\n"
    let mount = "sys/fs/cgroup/\(controllers)/"
    let period = "cpu.cfs_period_us"
    func files(_ folder: String, _ quota: String) -> [String: String] {
      [
        mount + folder + "cpu.cfs_quota_us": quota + "\n", mount + folder + period: "100000\n",
        // The files of another controller are ignored.
        "sys/fs/cgroup/memory/docker/1/cpu.cfs_quota_us": "100000\n",
        "sys/fs/cgroup/memory/docker/1/" + period: "100000\n",
      ]
    }
    #expect(try quota(groups, files("docker/1/", "250000")) == 3)
    #expect(try quota(groups, files("docker/1/", "-1")) == nil)
    // A container's group is at the mount point.
    #expect(try quota(groups, files("", "400000")) == 4)
  }

  @Test(arguments: [("3", 2), ("ffffffff,ffffffff", 64), ("00000000,00000005", 2), ("0", nil)])
  func `the affinity mask`(mask: String, expected: Int?) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("proc/thread-self")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try folder.write(
      "proc/thread-self/status",
      "Name:\tplumb\nCpus_allowed:\t\(mask)\nCpus_allowed_list:\t0-1\n")
    #expect(ProcessorCount.affinity(root: folder.path) == expected)
  }

  @Test func `without control groups there is no quota`() throws {
    let folder = try TemporaryFolder()
    #expect(ProcessorCount.quota(root: folder.path) == nil)
    #expect((1...100_000).contains(ProcessorCount.available))
    #expect(Workers().count == ProcessorCount.available)
    #expect(Workers(count: 7).count == 7)
  }
}
