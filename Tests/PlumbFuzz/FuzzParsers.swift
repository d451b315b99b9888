import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs parsers on mutated inputs, and ends at the first input that traps or takes too long:
/// `[--seed SEED] [--from NUMBER] COUNT [TARGET…]`. With `--corpus` only the inputs of the corpora
/// are used; `--write` writes inputs to standard output instead of parsing them.
@main
struct FuzzParsers {
  /// The number of the input, for signal handlers.
  private static let number = Atomic<Int>(0)
  /// The processor time limit of one input in seconds. The limit in wall time is ten times as long,
  /// because other processes may also be running.
  private static let timeout = 20

  static func main() {
    var (seed, first, words) = (UInt64(1), 0, [String]())
    var (isCorpus, writes) = (false, false)
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--seed": seed = rest.popFirst().flatMap { UInt64($0) } ?? seed
      case "--from": first = rest.popFirst().flatMap { Int($0) } ?? first
      case "--corpus": isCorpus = true
      case "--write": writes = true
      default: words.append(word)
      }
    }
    guard let count = words.first.flatMap({ Int($0) }), count > 0 else {
      print("usage: PlumbFuzz [--seed SEED] [--from NUMBER] [--corpus | --write] COUNT [TARGET...]")
      for target in ParserTarget.all { print("  \(target.name)") }
      exit(2)
    }
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGALRM, SIGPROF] {
      handle(signal)
    }
    let names = words.dropFirst()
    for target in ParserTarget.all where names.isEmpty || names.contains(target.name) {
      if isCorpus {
        let accepted = target.corpus.count { target.run($0) }
        print("\(target.name): \(accepted) of \(target.corpus.count) inputs of the corpus taken")
      } else if writes {
        put(InputMutator(target, seed: seed), first..<first + count)
      } else {
        run(target, seed: seed, first..<first + count)
      }
    }
  }

  private static func run(_ target: ParserTarget, seed: UInt64, _ numbers: Range<Int>) {
    print("\(target.name): ", terminator: "")
    fflush(nil)
    let mutator = InputMutator(target, seed: seed)
    let start = seconds
    var (accepted, slowest) = (0, (seconds: 0.0, number: 0))
    for index in numbers {
      number.store(index, ordering: .relaxed)
      let input = mutator.input(index)
      limit(seconds: timeout)
      let begin = seconds
      if target.run(input) { accepted += 1 }
      let time = seconds - begin
      if time > slowest.seconds { slowest = (time, index) }
    }
    limit(seconds: 0)
    print(
      "\(numbers.count) inputs, \(accepted) of them taken, \(shown(seconds - start)) s; slowest "
        + "\(shown(slowest.seconds * 1000)) ms (number \(slowest.number)); memory at most "
        + "\(maximumMemory >> 20) MB")
    fflush(nil)
  }

  private static func shown(_ number: Double) -> String {
    "\((number * 10).rounded() / 10)"
  }

  /// The processor time of this process.
  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// The peak memory of this process in bytes.
  private static var maximumMemory: Int {
    var usage = rusage()
    #if canImport(Darwin)
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #else
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #endif
  }

  /// Requests a signal after so many seconds; 0 for none.
  private static func limit(seconds: Int) {
    var time = itimerval()
    time.it_value.tv_sec = seconds
    #if canImport(Darwin)
      setitimer(ITIMER_PROF, &time, nil)
    #else
      setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &time, nil)
    #endif
    alarm(UInt32(10 * seconds))
  }

  private static func put(_ mutator: InputMutator, _ numbers: Range<Int>) {
    for number in numbers {
      let input = mutator.input(number)
      _ = write(STDOUT_FILENO, input, input.count)
    }
  }

  /// Installs a handler that ends the run with the number of the input.
  private static func handle(_ signal: Int32) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { FuzzParsers.end($0) }
    #else
      action.__sigaction_handler.sa_handler = { FuzzParsers.end($0) }
    #endif
    sigaction(signal, &action, nil)
  }

  /// Async-signal-safe: writes digits and exits.
  private static func end(_ signal: Int32) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { bytes in
      var (rest, position) = (number.load(ordering: .relaxed), bytes.count)
      bytes[position - 1] = 0x0A
      position -= 1
      repeat {
        position -= 1
        bytes[position] = UInt8(48 + rest % 10)
        rest /= 10
      } while rest > 0
      let words: StaticString = "trap or timeout at input number "
      _ = write(STDOUT_FILENO, words.utf8Start, words.utf8CodeUnitCount)
      _ = write(STDOUT_FILENO, bytes.baseAddress! + position, bytes.count - position)
    }
    _exit(3)
  }
}
