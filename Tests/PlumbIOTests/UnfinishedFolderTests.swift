import Foundation
import PlumbCore
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
    // A symbolic link with the name of such a folder, a folder with files but without a lock, and
    // names of other lengths.
    try files.createSymbolicLink(
      atPath: folder.path(".plumb-abcdef"), withDestinationPath: folder.path("other"))
    for name in [".plumb-nolock", ".plumb-abcdefg", ".plumb-abcde!"] {
      try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
    }
    try folder.write(".plumb-nolock/kept", "kept")
    try files.createDirectory(
      atPath: folder.path(".plumb-images"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755])
    try folder.write(".plumb-abcdefg/" + UnfinishedFolder.lockName, "")
    // An abandoned folder contains a link to another folder.
    let left = try #require(UnfinishedFolder.make(prefix)?.path)
    try files.createSymbolicLink(
      atPath: left + "/link", withDestinationPath: folder.path("other"))
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(!files.fileExists(atPath: left))
    #expect(try String(contentsOfFile: folder.path("other/kept"), encoding: .utf8) == "kept")
    #expect(
      try names == [
        ".plumb-abcde!", ".plumb-abcdef", ".plumb-abcdefg", ".plumb-images", ".plumb-nolock",
        "other",
      ])
  }

  /// Runs that are killed before they create the lock leave an empty folder. New folders are empty,
  /// too, so runs that start at the same time may remove each other's folders and create others.
  @Test func emptyFoldersAreRemoved() throws {
    for name in ["empty0", "empty1"] {
      try FileManager.default.createDirectory(
        atPath: prefix + name, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    UnfinishedFolder.removeAbandoned(prefix)
    #expect(try names.isEmpty)
    let runs = (0..<4).map { _ in
      BackgroundValue { [prefix] in
        for _ in 0..<500 {
          UnfinishedFolder.removeAbandoned(prefix)
          guard let made = UnfinishedFolder.make(prefix) else { return false }
          let file = open(made.path + "/cells", O_CREAT | O_WRONLY, 0o600)
          guard file >= 0 else { return false }
          close(file)
          made.remove()
        }
        return true
      }
    }
    for run in runs { #expect(try run.value()) }
    #expect(try names.isEmpty)
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
