import CSandbox

/// The kernel's walls round a helper.
package enum HelperWall {
  /// Raises what the kernel offers. Before the first thread starts.
  ///
  /// - Parameters:
  ///   - folder: the only folder that is read, besides what libraries need; nil for all.
  ///   - allowsNetwork: whether sockets are made.
  package static func raise(folder: String?, allowsNetwork: Bool) {
    var wall = KernelWall()
    wall.read(folder: folder ?? "/")
    wall.readLibraries()
    if allowsNetwork { wall.readNetwork() }
    _ = wall.raise(allowsNetwork ? .any : .ports([]))
    if !allowsNetwork { _ = plumb_seccomp_stop_all_but_reading() }
  }
}
