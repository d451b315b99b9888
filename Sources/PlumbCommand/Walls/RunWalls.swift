import PlumbSandbox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a run was given to reach, from which follows what the kernel may refuse it.
///
/// The library sees to it that a document leads nowhere else. These walls hold should it be wrong, or
/// a library that it calls: where the kernel has them, and for as long as the process lives.
struct RunWalls {
  /// Map and network documents: their folders are read.
  var documents: [String] = []
  /// What else is read.
  var inputs: [String] = []
  /// What is written.
  var outputs: [String] = []
  /// Whether documents may lead anywhere.
  var allowsOutside = false
  /// Whether documents may lead to hosts.
  var reachesHosts = false

  /// Raises what the kernel offers. Before the first thread starts.
  ///
  /// - Returns: a line that says what holds now; nil for a run without documents.
  func raise() -> String? {
    guard !allowsOutside else { return nil }
    let kinds = inputs.map { ArgumentKind($0) }
    let named = documents.filter { ArgumentKind($0) == .remote }
    let isLocal = !kinds.contains { $0 == .remote } && named.isEmpty && !reachesHosts
    let stopsSockets = isLocal && KernelWall.stopSockets()
    guard !documents.isEmpty else { return nil }
    var wall = KernelWall()
    wall.startHelpers()
    for output in outputs { wall.write(output: output) }
    for document in documents where !named.contains(document) { wall.read(document: document) }
    if !isLocal { wall.readNetwork() }
    for (input, kind) in zip(inputs, kinds) {
      if kind == .plainFile {
        wall.read(input: input)
      } else {
        wall.read(all: InputReach(of: input).paths)
      }
    }
    wall.readLibraries()
    var held: [String] = []
    if wall.raise(stopsNetwork: isLocal) {
      held.append("to reading its inputs and the libraries' data")
      held.append(
        outputs.isEmpty
          ? "to writing temporary files"
          : "to writing in the output's folder and temporary files")
    }
    if stopsSockets { held.append("off the network") }
    return held.isEmpty
      ? "the kernel has no walls for this run; Plumb's own hold alone"
      : "the kernel keeps this run " + held.joined(separator: ", ")
  }
}
