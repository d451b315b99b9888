import CFault

/// Handles crashes of libraries that read formats: the process ends with one line that names the file and the
/// driver, and exit status 1. For programs that enable it.
public enum LibraryFault {
  /// Installs the crash handler of this process.
  public static func handle() { plumb_fault_install() }

  /// Registers a folder of unfinished results, which a crash removes.
  public static func remember(folder: String) -> Int32 { plumb_fault_remember_folder(folder) }

  /// Unregisters a folder, so that a crash does not remove it.
  ///
  /// - Parameter number: the result of `remember(folder:)`.
  public static func forget(folder number: Int32) { plumb_fault_forget_folder(number) }

  /// The message for the library call on this thread; nil outside of calls.
  package static var line: UnsafePointer<CChar>? { plumb_fault_current() }

  /// Sets the message for the following library calls on this thread.
  ///
  /// - Returns: the previous message.
  package static func enter(_ line: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    plumb_fault_enter(line)
  }

  package static func leave(_ previous: UnsafePointer<CChar>?) { plumb_fault_leave(previous) }
}
