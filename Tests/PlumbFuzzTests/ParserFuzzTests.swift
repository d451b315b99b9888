import PlumbFuzz
import Testing

/// Parsers of bytes on damaged inputs: a result or an error, never a trap. `Tests/fuzz-parsers`
/// runs many more inputs in a release build; CI runs 10,000 for each parser.
@Suite struct ParserFuzzTests {
  @Test("The corpus has inputs that the parser accepts", arguments: ParserTarget.all)
  func corpus(_ target: ParserTarget) {
    #expect(target.corpus.contains { target.run($0) })
  }

  @Test("Inputs that end early", arguments: ParserTarget.all)
  func ends(_ target: ParserTarget) {
    let total = target.corpus.reduce(0) { $0 + $1.count }
    for input in target.corpus {
      for count in stride(from: 0, to: input.count, by: 1 + total / 200) {
        _ = target.run(Array(input[..<count]))
      }
    }
  }

  @Test("Some damaged inputs of each parser", arguments: ParserTarget.all)
  func damage(_ target: ParserTarget) {
    let mutator = InputMutator(target, seed: 1)
    for number in 0..<200 { _ = target.run(mutator.input(number)) }
  }
}
