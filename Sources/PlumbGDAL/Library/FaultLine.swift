import CGDAL
import PlumbCore
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The message that is printed if a library crashes on a file.
final class FaultLine: Sendable {
  /// The message, which is written once, before it is shared.
  private let text: SharedPointer<UnsafeMutablePointer<CChar>>

  /// - Parameter driver: GDAL's short name of the driver; nil if the driver is not known yet.
  init(path: String, driver: String?) {
    let name = driver.map { "GDAL's driver \($0)" } ?? "GDAL"
    let line =
      "\(Self.start)\(path.printable): \(name) crashed; the file is damaged or has another format\n"
    text = SharedPointer(strdup(line)!)
  }

  deinit { free(text.pointer) }

  /// The path of the file for which this thread is calling a library; nil if the thread is not
  /// calling a library.
  static var path: String? {
    guard let line = LibraryFault.line else { return nil }
    let text = String(cString: line)
    guard text.hasPrefix(start), let end = text.ranges(of: end).last?.lowerBound else { return nil }
    return String(text[text.index(text.startIndex, offsetBy: start.count)..<end])
  }

  private static let start = "plumb: "
  private static let end = ": GDAL"

  /// Calls `body`, which calls a library for this file.
  @inline(__always)
  func whileInside<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let previous = LibraryFault.enter(text.pointer)
    defer { LibraryFault.leave(previous) }
    return try body()
  }

  /// Calls `body`, which opens a file with a library.
  ///
  /// - Parameter drivers: the allowed drivers; nil for all drivers.
  static func opening<Result>(
    _ path: String, _ content: UInt32, among drivers: [String]?, _ body: () -> Result
  ) -> Result {
    // The driver is identified first, because its library may crash while it opens the file.
    let isPlain = !path.hasPrefix("/vsi") && !path.contains(":") && !path.hasSuffix(".tif")
    let line = FaultLine(path: path, driver: nil)
    guard isPlain else { return line.whileInside(body) }
    let driver = line.whileInside { identifiedDriver(path, content, drivers) }
    return FaultLine(path: path, driver: driver).whileInside(body)
  }

  convenience init(path: String, dataset: GDALDatasetH) {
    let driver = GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
    self.init(path: path, driver: driver.map { String(cString: $0) })
  }
}
