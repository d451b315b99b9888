import PlumbFuzz
import Testing

/// Parsers of bytes on damaged inputs: a result or an error, never a trap. `Tests/fuzz-parsers` runs
/// more of them under AddressSanitizer.
@Suite struct ParserFuzzTests {
  @Test("The corpus has inputs that the parser takes", arguments: ParserTarget.all)
  func corpus(_ target: ParserTarget) {
    #expect(target.corpus.contains { target.run($0) })
    for input in target.corpus {
      for count in 0..<input.count { _ = target.run(Array(input[..<count])) }
    }
  }

  @Test("Ten thousand damaged inputs of each parser", arguments: ParserTarget.all)
  func damage(_ target: ParserTarget) {
    let mutator = InputMutator(target, seed: 1)
    for number in 0..<10_000 { _ = target.run(mutator.input(number)) }
  }
}
