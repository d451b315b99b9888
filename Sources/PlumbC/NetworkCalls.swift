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
    let path = try CText.text(path, "the path")
    var options = try Options(options)
    let valves = try options.text("valve_layer")
    let crs = try options.text("crs")
    let isStrict = try options.flag("strict")
    let access = try options.access()
    try options.finish()
    let opened = try Poll(poll, context).run(mayOutlive: true) { progress in
      let reference = try crs.map { try SpatialReference(asked: $0) }
      let opened = try OpenedNetwork.open(
        path: path, valveLayer: valves, access: access, isStrict: isStrict
      ) { share, _ in progress.share = share ?? -1 }
      return try reference.map { try opened.referenced(by: $0) } ?? opened
    }
    warn(opened.warnings.map { Wording($0) })
    return networks.insert(opened)
  }
}

/// What a network is made of.
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
    try Options(options).read(Trace.options, into: &request)
    let answer = try Poll(poll, context).run(mayOutlive: true) { [request] _ in
      try BodyRun { try Trace.run(request, on: network, in: $0) }
    }
    warn(answer.warnings)
    isolated?.pointee = answer.outcome == .done ? 1 : 0
    return answer.text
  }
}

/// Closes a network.
@c @implementation
public func plumb_network_close(_ handle: OpaquePointer?) -> CInt {
  entry { try networks.remove(handle) }
}
