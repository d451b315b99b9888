import CFault
import CGDAL
import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a crash inside a library that reads a format ends with: one line that names the file and the
/// driver, and exit status 1. For programs that ask for it.
public enum LibraryFault {
  /// Handles crashes of this process from here on.
  public static func handle() { plumb_fault_install() }

  /// Remembers a folder of unfinished results, which a crash removes.
  public static func remember(folder: String) -> Int32 { plumb_fault_remember_folder(folder) }

  public static func forget(folder number: Int32) { plumb_fault_forget_folder(number) }
}

/// The line that is printed should a library crash with one file.
final class FaultLine: @unchecked Sendable {
  // Unchecked: written once, before anyone else sees it.
  private let text: UnsafeMutablePointer<CChar>

  /// - Parameter driver: GDAL's short name; nil while it is not known.
  init(path: String, driver: String?) {
    let name = driver.map { "GDAL's driver \($0)" } ?? "GDAL"
    let line =
      "\(Self.start)\(path.printable): \(name) crashed; the file is damaged, or not of that format\n"
    text = strdup(line)!
  }

  deinit { free(text) }

  /// The path of the file that a library is called for on this thread; nil where it is not.
  static var path: String? {
    guard let line = plumb_fault_current() else { return nil }
    let text = String(cString: line)
    guard text.hasPrefix(start), let end = text.ranges(of: end).last?.lowerBound else { return nil }
    return String(text[text.index(text.startIndex, offsetBy: start.count)..<end])
  }

  private static let start = "plumb: "
  private static let end = ": GDAL"

  /// Calls a library for the file.
  @inline(__always)
  func whileInside<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let previous = plumb_fault_enter(text)
    defer { plumb_fault_leave(previous) }
    return try body()
  }

  /// Calls a library that opens a file.
  static func opening<Result>(
    _ path: String, _ content: UInt32, _ body: () -> Result
  ) -> Result {
    // To be asked for its driver first: the one whose library opens it, and may crash.
    let isPlain = !path.hasPrefix("/vsi") && !path.contains(":") && !path.hasSuffix(".tif")
    let line = FaultLine(path: path, driver: nil)
    guard isPlain else { return line.whileInside(body) }
    let driver = line.whileInside { GDALIdentifyDriverEx(path, content, nil, nil) }
    let name = driver.flatMap { GDALGetDriverShortName($0) }.map { String(cString: $0) }
    return FaultLine(path: path, driver: name).whileInside(body)
  }

  convenience init(path: String, dataset: GDALDatasetH) {
    let driver = GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
    self.init(path: path, driver: driver.map { String(cString: $0) })
  }
}
