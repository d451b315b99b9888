import Foundation
import PlumbTestSupport
import Testing

@testable import PlumbIO

/// Folders of unfinished results: only folders of ended runs are removed.
@Suite struct UnfinishedFolderTests {
  private let folder: TemporaryFolder
  private var prefix: String { folder.path(".plumb-") }
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  init() throws { folder = try TemporaryFolder() }

  @Test func filesWithoutALockAreRemoved() throws {
    var left = UnfinishedFolder.make(prefix)
    let path = try #require(left?.path)
    try FileManager.default.createDirectory(
      atPath: path + "/inner/deep", withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: path + "/inner/deep/cells"))
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(try names.count == 1, "its owner still runs")
    left = nil
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(try names.isEmpty)
  }

  @Test func linksAreNotFollowedAndOtherFoldersAreKept() throws {
    let files = FileManager.default
    try files.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: false)
    try folder.write("other/kept", "kept")
    try folder.write("other/" + UnfinishedFolder.lockName, "")
    // A symbolic link with the name of such a folder, a folder without a lock, and names of other
    // lengths.
    try files.createSymbolicLink(
      atPath: folder.path(".plumb-abcdef"), withDestinationPath: folder.path("other"))
    for name in [".plumb-nolock", ".plumb-abcdefg", ".plumb-abcde!"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try folder.write(".plumb-abcdefg/" + UnfinishedFolder.lockName, "")
    // An abandoned folder contains a link to another folder.
    let left = try #require(UnfinishedFolder.make(prefix)?.path)
    try files.createSymbolicLink(
      atPath: left + "/link", withDestinationPath: folder.path("other"))
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(!files.fileExists(atPath: left))
    #expect(try String(contentsOfFile: folder.path("other/kept"), encoding: .utf8) == "kept")
    #expect(
      try names == [".plumb-abcde!", ".plumb-abcdef", ".plumb-abcdefg", ".plumb-nolock", "other"])
  }

  @Test func aLockThatIsALinkIsNotAcquired() throws {
    let files = FileManager.default
    try folder.write("target", "")
    try files.createDirectory(
      atPath: folder.path(".plumb-linked"), withIntermediateDirectories: false)
    try files.createSymbolicLink(
      atPath: folder.path(".plumb-linked/" + UnfinishedFolder.lockName),
      withDestinationPath: folder.path("target"))
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(try names == [".plumb-linked", "target"])
  }
}
