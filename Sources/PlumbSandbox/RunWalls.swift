import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a run was given to reach, from which follows what the kernel may refuse it.
///
/// The library sees to it that a document leads nowhere else. These walls hold should it be wrong, or
/// a library that it calls: where the kernel has them, and for as long as the process lives.
package struct RunWalls {
  /// Map and network documents: their folders are read.
  package var documents: [String] = []
  /// What else is read.
  package var inputs: [String] = []
  /// What is written.
  package var outputs: [String] = []
  /// Whether documents may lead anywhere.
  package var allowsOutside = false
  /// Whether documents may lead to hosts.
  package var reachesHosts = false
  /// Whether files are replaced while the process runs, so that their folders are read.
  package var rereads = false
  /// Files whose folders are read, also where they are links.
  package var folders: [String] = []
  /// The only TCP ports that the process may connect to; nil for all.
  package var ports: [UInt16]?

  package init(
    documents: [String] = [], inputs: [String] = [], outputs: [String] = [],
    allowsOutside: Bool = false, reachesHosts: Bool = false
  ) {
    (self.documents, self.inputs, self.outputs) = (documents, inputs, outputs)
    (self.allowsOutside, self.reachesHosts) = (allowsOutside, reachesHosts)
  }

  /// Raises what the kernel offers. Before the first thread starts, and after sockets that listen are made.
  ///
  /// - Returns: a line that says what holds now; nil for a run without documents.
  package func raise() -> String? {
    guard !allowsOutside else { return nil }
    let kinds = inputs.map { ArgumentKind($0) }
    let named = documents.filter { ArgumentKind($0) == .remote }
    let isNamed = kinds.contains { $0 == .remote } || !named.isEmpty
    let isLocal = !isNamed && !reachesHosts
    let stopsSockets = isLocal && KernelWall.stopSockets()
    guard !documents.isEmpty || rereads else { return nil }
    var wall = KernelWall()
    wall.startHelpers()
    for output in outputs { wall.write(output: output) }
    for document in documents where !named.contains(document) { wall.read(document: document) }
    if !isLocal { wall.readNetwork() }
    for (input, kind) in zip(inputs, kinds) {
      if kind == .plainFile {
        if rereads { wall.read(document: input) } else { wall.read(input: input) }
      } else {
        let paths = InputReach(of: input).paths
        if rereads {
          for path in paths { wall.read(document: path) }
        } else {
          wall.read(all: paths)
        }
      }
    }
    if rereads { wall.readThreads() }
    for path in folders { wall.read(folderOf: path) }
    wall.readLibraries()
    // A URL given by the user may use any port.
    let limit = isLocal ? [] : isNamed ? nil : ports
    var held: [String] = []
    if wall.raise(limit.map { .ports($0) } ?? (rereads ? .anyPort : .any)) {
      held.append("to reading its inputs and the libraries' data")
      held.append(
        outputs.isEmpty
          ? "to writing temporary files"
          : "to writing in the output's folder and temporary files")
      if let limit, !limit.isEmpty, KernelWall.limitsPorts {
        KernelWall.stopFastOpen()
        held.append("to TCP connections to ports " + limit.map { "\($0)" }.joined(separator: ", "))
      }
    }
    if stopsSockets { held.append("off the network") }
    return held.isEmpty
      ? "the kernel has no walls for this run; Plumb's own hold alone"
      : "the kernel keeps this run " + held.joined(separator: ", ")
  }
}
