// Which valves have to be closed to cut a customer's meter off, and who is without gas then.
import Foundation
import Plumb

do {
  let opened = try OpenedNetwork.open(path: "rasters/gas.json")
  let network = opened.network
  // What was read but may not be meant.
  for warning in opened.warnings { print("warning: \(warning)") }

  // A device with several terminals needs one: this is the customer's side of the meter.
  let start = try ElementReference(network).start("M0054:Load")
  // The tier's own configuration, so that closed valves stop the trace as well.
  let tier = network.definition.domainNetworks.flatMap(\.tiers).first {
    $0.name == "Pipe Distribution System"
  }
  var configuration = tier?.traceConfiguration ?? TraceConfiguration()
  configuration.filter = TraceFilter(barriers: .category("Isolating"))
  let result = try network.trace(
    UtilityTraceParameters(
      .isolation, startingLocations: [start], tier: tier?.name,
      traceConfiguration: configuration))

  guard let isolation = result.isolation, result.isSuccess else {
    throw PlumbError("a controller cannot be cut off from \(network.name(of: start.element))")
  }
  for (title, barriers) in [
    ("Close", isolation.isolating), ("Bounds the area too", isolation.boundingOnly),
  ] {
    print("\(title):")
    // Each says why it has to be closed, or need not be.
    for barrier in barriers {
      print("  \(network.globalID(of: barrier.location.element)): \(barrier.why)")
    }
  }
  // A device is there once for each terminal, so meters are counted by element.
  let elements = Set(isolation.isolated.map(\.element))
  let meters = elements.filter { network.describe($0).assetGroupName == "Meter" }
  print("\(elements.count) elements are cut off, \(meters.count) of them meters")
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
