import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Compares the versions that are written outside the Swift sources with the version of the library.
@Suite struct VersionTests {
  @Test func thePythonPackageHasTheVersionOfTheLibrary() throws {
    let path = TestPaths.root + "/Sources/PlumbPython/src/plumb_gis/_version.py"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("__version__") }
    #expect(lines == ["__version__ = \"\(plumbVersion)\""])
  }

  /// The newest section of the change log is that of the version.
  @Test func theChangeLogStartsWithTheVersion() throws {
    let path = TestPaths.root + "/Sources/Plumb/Plumb.docc/changes.md"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let heading = text.split(separator: "\n").map(String.init).first { $0.hasPrefix("## ") }
    #expect(heading == "## \(plumbVersion)")
  }
}
