import ArgumentParser
import Plumb

/// What documents and the other files that the user names may lead to.
struct AccessArguments: ParsableArguments {
  @Flag(
    help: """
      Let documents name files outside their folder, all files lead to a network, and SQL in them \
      (views of a GeoPackage) do anything; no wall stands then.
      """)
  var allowOutside = false

  var access: DocumentAccess { allowOutside ? .anywhere : .folder }
}
