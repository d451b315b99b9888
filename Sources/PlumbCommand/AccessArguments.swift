import ArgumentParser
import Plumb

/// What the files may do that the user names.
struct AccessArguments: ParsableArguments {
  @Flag(
    help: """
      Let the files lead to a network, and SQL in them (views of a GeoPackage) do anything; no wall \
      stands then.
      """)
  var allowOutside = false

  var access: DocumentAccess { allowOutside ? .anywhere : .folder }
}
