import CFault

/// What a crash inside a library that reads a format ends with: one line that names the file and the
/// driver, and exit status 1. For programs that ask for it.
public enum LibraryFault {
  /// Handles crashes of this process from here on.
  public static func handle() { plumb_fault_install() }

  /// Remembers a folder of unfinished results, which a crash removes.
  public static func remember(folder: String) -> Int32 { plumb_fault_remember_folder(folder) }

  /// Forgets a folder, which a crash then leaves.
  ///
  /// - Parameter number: what `remember(folder:)` gave.
  public static func forget(folder number: Int32) { plumb_fault_forget_folder(number) }

  /// The line of the file that a library is called for on this thread; nil where it is not.
  package static var line: UnsafePointer<CChar>? { plumb_fault_current() }

  /// Names the line of the file that a library is called for on this thread from here on.
  ///
  /// - Returns: the one before.
  package static func enter(_ line: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    plumb_fault_enter(line)
  }

  package static func leave(_ previous: UnsafePointer<CChar>?) { plumb_fault_leave(previous) }
}
