import ArgumentParser
import Plumb
import PlumbSandbox
import PlumbVerbs
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writes messages for the user, which are not data, to standard error.
struct Console {
  var isQuiet = false

  func warn(_ line: String) {
    if !isQuiet { Self.print("plumb: warning: " + line) }
  }

  func warn(_ line: MessageTemplate) { warn(line.line) }

  func note(_ line: String) { Self.print("plumb: " + line) }

  /// Prints one line, with control characters in a file's text escaped.
  static func print(_ line: String) { put(line.printable + "\n") }

  fileprivate static func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Reserves the descriptors of closed standard streams, so that a file opened later does not get one of
  /// these descriptors and receive standard output. Reading and writing the closed streams still fails.
  private static func reserveStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
      _ = open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Runs a command's work. After an error, prints one line and exits with status 1. If the
  /// output's pipe is closed, prints nothing.
  ///
  /// - Parameters:
  ///   - sandbox: the sandbox, which is entered first, so that it applies to every thread of the run.
  ///   - explains: whether to print what the sandbox permits.
  static func run(
    within sandbox: RunSandbox, explains: Bool = false, _ body: () throws -> Void
  ) throws {
    reserveStandardFiles()
    StandardOutput.claim()
    LibraryFaults.handle()
    // Reads the number of processors, which cannot be read in the sandbox.
    _ = Workers()
    let account = sandbox.enter()
    InterruptHandler.install()
    if explains, let account { print("plumb: " + account) }
    do {
      try body()
    } catch let error as SystemError where error.isClosedPipe {
      throw ExitCode.success
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      print("plumb: " + PlumbError.line(of: error).line)
      throw ExitCode.failure
    }
  }
}

extension RunContext {
  /// Creates the context of a run that writes its messages and its progress bar to standard error.
  ///
  /// - Parameters:
  ///   - isQuiet: whether warnings, remarks and the progress bar are omitted.
  ///   - explains: whether notes that explain the run, such as its plan, are written.
  init(isQuiet: Bool = false, explains: Bool = false) {
    let console = Console(isQuiet: isQuiet)
    let bar = ProgressBar(isQuiet: isQuiet)
    self.init(.command, warn: { console.warn($0) })
    warnLater = { console.warn($0) }
    if !isQuiet { remark = { console.note($0) } }
    if explains { note = { console.note($0) } }
    print = { Console.print($0) }
    progress = { bar.show($0, rows: $1) }
    endProgress = { bar.clear() }
    uses = SourceUse.verbs
  }
}

/// A progress bar on standard error, if it is a terminal.
final class ProgressBar {
  private let isShown: Bool
  private let start = ContinuousClock.now
  private var lastDrawn: ContinuousClock.Instant?

  init(isQuiet: Bool) { isShown = !isQuiet && isatty(STDERR_FILENO) == 1 }

  func show(_ share: Double?, rows: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
    if lastDrawn == nil, now - start < .milliseconds(300) { return }
    lastDrawn = now
    let time = (now - start).components
    let seconds = Double(time.seconds) + Double(time.attoseconds) * 1e-18
    var line = "\r"
    if let share {
      let done = Int((min(max(share, 0), 1) * 30).rounded())
      line += "[" + String(repeating: "#", count: done)
      line += String(repeating: ".", count: 30 - done) + "] \(Int(share * 100)) %  "
    }
    if rows > 0 { line += "\(rows) rows, \(Int(Double(rows) / seconds)) a second" }
    Console.put(line + "\u{1B}[K")
  }

  func clear() {
    if isShown, lastDrawn != nil { Console.put("\r\u{1B}[K") }
  }
}

/// Removes unfinished results when the user or the system ends the run.
enum InterruptHandler {
  private static let installed: Void = {
    signal(SIGPIPE, SIG_IGN)
    // Ignores the signal, so that a write beyond the limit on file sizes fails instead.
    signal(SIGXFSZ, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGHUP)
    // Threads that start later inherit the mask, so that only the thread of this handler receives the
    // signals.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    Workers.detach {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGINT)
      sigaddset(&signals, SIGTERM)
      sigaddset(&signals, SIGHUP)
      while true {
        var caught: Int32 = 0
        while sigwait(&signals, &caught) != 0 {}
        if caught == SIGHUP, let reopen = hangup.withLock({ $0 }) {
          reopen()
        } else {
          OutputFile.discardAll { _exit(128 + caught) }
        }
      }
    }
  }()

  private static let hangup = Mutex<(@Sendable () -> Void)?>(nil)

  static func install() { _ = installed }

  /// Sets a closure that is called on SIGHUP. Without it, SIGHUP ends the run.
  static func onHangup(_ body: @escaping @Sendable () -> Void) { hangup.withLock { $0 = body } }
}
