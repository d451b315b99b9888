import CPlumb
import Plumb
import PlumbVerbs

/// The open networks.
private let networks = HandleTable<OpenedNetwork>()

/// Opens a network.
@c @implementation
public func plumb_network_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?, _ handle: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  opening(handle) {
    var request = Trace.Request()
    try Trace.Part.open.options.read(options, into: &request)
    request.network = try CText.text(path, "the path")
    let copiedRequest = request
    let result = try Poll(poll, context).run(mayOutlive: true) { progress in
      var warnings: [MessageTemplate] = []
      var context = RunContext(.library) { warnings.append($0) }
      context.progress = { share, _ in progress.share = share ?? -1 }
      return (network: try Trace.open(copiedRequest, in: context), warnings: warnings)
    }
    warn(result.warnings)
    return networks.insert(result.network)
  }
}

/// Describes a network.
@c @implementation
public func plumb_network_describe(
  _ handle: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) { try NetworkInfo(networks[handle]).json }
}

/// Traces a network.
@c @implementation
public func plumb_network_trace(
  _ handle: OpaquePointer?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?,
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ isolated: UnsafeMutablePointer<CInt>?
) -> CInt {
  isolated?.pointee = 1
  return texting(text) {
    let network = try networks[handle]
    var request = Trace.Request()
    try Trace.Part.trace.options.read(options, into: &request)
    let result = try Poll(poll, context).run(mayOutlive: true) { [request] _ in
      try BodyRun { try Trace.run(request, on: network, in: $0) }
    }
    warn(result.warnings)
    isolated?.pointee = result.outcome == .done ? 1 : 0
    return result.text
  }
}

/// Closes a network.
@c @implementation
public func plumb_network_close(_ handle: OpaquePointer?) -> CInt {
  entry { try networks.remove(handle) }
}
