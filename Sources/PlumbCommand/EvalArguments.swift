import ArgumentParser
import Plumb
import PlumbVerbs

/// Returns the help text of an option of `eval`, from the verb's table.
func evalHelp(_ option: Setting, _ valueName: String? = nil) -> ArgumentHelp {
  .of(option, Eval.options, valueName)
}

/// The inputs of an expression.
struct EvalArguments: ParsableArguments {
  @Option(name: .short, help: evalHelp(.file, "file")) var file: String?

  @Option(help: evalHelp(.feature, "file[:layer]")) var feature: String?

  @Option(parsing: .unconditional, help: evalHelp(.at, "x,y")) var at: String?

  @Option(help: evalHelp(.fence, "file[:layer]")) var fence: String?

  @Option(
    parsing: .unconditional, help: evalHelp(.location, "x,y[,accuracy]|feed"))
  var location: String?

  @Option(help: evalHelp(.type, "type")) var type: FenceEventType?
}

extension FenceEventType: WordArgument {}
