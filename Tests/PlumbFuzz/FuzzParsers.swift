import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tries parsers with changed inputs, and ends at the first that traps or takes too long:
/// `[--seed SEED] [--from NUMBER] COUNT [TARGET…]`.
@main
struct FuzzParsers {
  /// What signal handlers read: the number of the input.
  private static let number = Atomic<Int>(0)
  /// Seconds that one input may take.
  private static let patience: UInt32 = 20

  static func main() {
    var (seed, first, words) = (UInt64(1), 0, [String]())
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "--seed": seed = rest.popFirst().flatMap { UInt64($0) } ?? seed
      case "--from": first = rest.popFirst().flatMap { Int($0) } ?? first
      default: words.append(word)
      }
    }
    guard let count = words.first.flatMap({ Int($0) }) else {
      print("usage: fuzz-parsers [--seed SEED] [--from NUMBER] COUNT [TARGET...]")
      for target in ParserTarget.all { print("  \(target.name)") }
      exit(2)
    }
    for signal in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGALRM] {
      handle(signal)
    }
    let names = words.dropFirst()
    for target in ParserTarget.all where names.isEmpty || names.contains(target.name) {
      run(target, seed: seed, first..<first + count)
    }
  }

  private static func run(_ target: ParserTarget, seed: UInt64, _ numbers: Range<Int>) {
    print("\(target.name): ", terminator: "")
    fflush(nil)
    let mutator = InputMutator(target, seed: seed)
    let start = ContinuousClock.now
    var (taken, slowest) = (0, (time: Duration.zero, number: 0))
    for index in numbers {
      number.store(index, ordering: .relaxed)
      alarm(patience)
      let input = mutator.input(index)
      let begin = ContinuousClock.now
      if target.run(input) { taken += 1 }
      let time = ContinuousClock.now - begin
      if time > slowest.time { slowest = (time, index) }
    }
    alarm(0)
    print(
      "\(numbers.count) inputs, \(taken) of them taken, \((ContinuousClock.now - start) / .seconds(1)) "
        + "s; slowest \(slowest.time / .milliseconds(1)) ms (number \(slowest.number))")
    fflush(nil)
  }

  /// Has a signal end the run with the number of the input.
  private static func handle(_ signal: Int32) {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { FuzzParsers.end($0) }
    #else
      action.__sigaction_handler.sa_handler = { FuzzParsers.end($0) }
    #endif
    sigaction(signal, &action, nil)
  }

  /// Async-signal-safe: writes digits and ends.
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
