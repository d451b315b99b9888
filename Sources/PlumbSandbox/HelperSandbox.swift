import CSandbox

/// The sandbox of a helper.
package enum HelperSandbox {
  /// Whether the kernel limits the files that a helper reads.
  package static var limitsFiles: Bool { plumb_landlock_version() > 0 }

  /// Enters the sandbox, as far as the kernel supports it. This method must be called before the
  /// first thread starts.
  ///
  /// - Parameters:
  ///   - folder: the only readable folder, in addition to the files of libraries; nil for all
  ///     folders.
  ///   - allowsNetwork: whether sockets are allowed.
  package static func enter(folder: String?, allowsNetwork: Bool) {
    var rules = LandlockRules()
    rules.read(folder: folder ?? "/")
    rules.readLibraries()
    if allowsNetwork { rules.readNetwork() }
    _ = rules.apply(allowsNetwork ? .any : .ports([]))
    if !allowsNetwork { _ = plumb_seccomp_stop_all_but_reading() }
  }
}
