import Foundation

/// The paths of the checkout, shared data and built programs.
public enum TestPaths {
  /// The root of the package.
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The committed sample rasters.
  public static let rasters = root + "/rasters"

  /// Real data that is not part of the package; nil if it is absent.
  public static let data: String? = {
    let path = ProcessInfo.processInfo.environment["PLUMB_TEST_DATA"] ?? root + "/../shared/data"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// A program that was built with the tests.
  public static func program(_ name: String) -> String {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent(name).path
      }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent(name).path
  }
}

/// A folder that is deleted together with the object.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("plumb-test-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  public func path(_ name: String) -> String { path + "/" + name }

  func url(_ name: String) -> URL { URL(fileURLWithPath: path(name)) }

  /// Writes text to a file and returns its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}
