import CFault

/// Handles crashes of libraries that read formats. The process ends with exit status 1 and prints
/// one line with the names of the file and the driver. Only a program that calls `handle()` has
/// this handler.
public enum LibraryFault {
  /// Installs the crash handler of this process.
  public static func handle() { plumb_fault_install() }

  /// Registers a folder of unfinished results, which the crash handler removes.
  public static func remember(folder: String) -> Int32 { plumb_fault_remember_folder(folder) }

  /// Unregisters a folder, so that the crash handler does not remove it.
  ///
  /// - Parameter number: the result of `remember(folder:)`.
  public static func forget(folder number: Int32) { plumb_fault_forget_folder(number) }

  /// The message to print if the current library call on this thread crashes; nil outside such
  /// calls.
  package static var line: UnsafePointer<CChar>? { plumb_fault_current() }

  /// Sets the message to print if a library call on this thread crashes from now on.
  ///
  /// - Returns: the previous message.
  package static func enter(_ line: UnsafePointer<CChar>?) -> UnsafePointer<CChar>? {
    plumb_fault_enter(line)
  }

  package static func leave(_ previous: UnsafePointer<CChar>?) { plumb_fault_leave(previous) }
}
