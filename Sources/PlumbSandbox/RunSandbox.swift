import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The files and hosts that a run needs. The rules of the run's sandbox are derived from them.
///
/// Plumb itself limits the files and hosts to which documents can refer. The sandbox is a second
/// barrier in case Plumb or a library that it calls has an error. If the kernel supports the
/// sandbox, it enforces the rules until the process ends.
package struct RunSandbox {
  /// The map and network documents, whose folders are readable.
  package var documents: [String] = []
  /// The other inputs.
  package var inputs: [String] = []
  /// The outputs.
  package var outputs: [String] = []
  /// Whether documents may refer to any file.
  package var allowsOutside = false
  /// Whether documents may refer to hosts.
  package var allowsHosts = false
  /// Whether input files may be replaced while the process runs, so that their folders have to be
  /// readable.
  package var rereads = false
  /// Files whose folders are readable, including the folders of link targets.
  package var folders: [String] = []
  /// The only TCP ports for connections; nil for all.
  package var ports: [UInt16]?

  package init(
    documents: [String] = [], inputs: [String] = [], outputs: [String] = [],
    allowsOutside: Bool = false, allowsHosts: Bool = false
  ) {
    (self.documents, self.inputs, self.outputs) = (documents, inputs, outputs)
    (self.allowsOutside, self.allowsHosts) = (allowsOutside, allowsHosts)
  }

  /// Enters the sandbox, as far as the kernel supports it. This method must be called before the
  /// first thread starts, and after listening sockets are created.
  ///
  /// - Returns: a description of the active restrictions; nil for a run without documents.
  package func enter() -> String? {
    guard !allowsOutside else { return nil }
    let kinds = inputs.map { ArgumentKind($0) }
    let named = documents.filter { ArgumentKind($0) == .remote }
    let isNamed =
      kinds.contains { $0 == .remote } || !named.isEmpty
      || outputs.contains { DatabaseAddress.isAddress($0) }
    let isLocal = !isNamed && !allowsHosts
    let stopsSockets = isLocal && LandlockRules.stopSockets()
    guard !documents.isEmpty || rereads else { return nil }
    var rules = LandlockRules()
    rules.startHelpers()
    for output in outputs where !DatabaseAddress.isAddress(output) { rules.write(output: output) }
    for document in documents where !named.contains(document) { rules.read(document: document) }
    if !isLocal { rules.readNetwork() }
    for (input, kind) in zip(inputs, kinds) {
      if kind == .plainFile {
        if rereads { rules.read(document: input) } else { rules.read(input: input) }
      } else {
        let paths = InputPaths(of: input).paths
        if rereads {
          for path in paths { rules.read(document: path) }
        } else {
          rules.read(all: paths)
        }
      }
    }
    if rereads { rules.readThreads() }
    for path in folders { rules.read(folderOf: path) }
    rules.readLibraries()
    // A URL that the user specifies may use any port.
    let limit = isLocal ? [] : isNamed ? nil : ports
    var restrictions: [String] = []
    if rules.apply(limit.map { .ports($0) } ?? (rereads ? .anyPort : .any)) {
      restrictions.append("reading only its inputs and the libraries' data")
      restrictions.append(
        outputs.isEmpty
          ? "writing only temporary files"
          : "writing only in the output's folder and temporary files")
      if let limit, !limit.isEmpty, LandlockRules.limitsPorts {
        LandlockRules.stopFastOpen()
        restrictions.append(
          "TCP connections only to ports " + limit.map { "\($0)" }.joined(separator: ", "))
      }
    }
    if stopsSockets { restrictions.append("no network access") }
    return restrictions.isEmpty
      ? "the kernel does not restrict this run; only Plumb's own checks apply"
      : "the kernel restricts this run: " + restrictions.joined(separator: ", ")
  }
}
