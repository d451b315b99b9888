// The valves to close in order to cut off a customer's meter, and the customers without gas as a result.
import Foundation
import Plumb

do {
  let opened = try OpenedNetwork.open(path: "rasters/gas.json")
  let network = opened.network
  // Warnings about the input that may be mistakes.
  for warning in opened.warnings { print("warning: \(warning)") }

  // A device with several terminals needs one of them: here the customer's side of the meter.
  let start = try ElementReference(network).start("M0054:Load")
  // Use the tier's configuration, so that closed valves stop the trace as well.
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
    ("Close", isolation.isolating), ("Also bounds the area", isolation.boundingOnly),
  ] {
    print("\(title):")
    // The reason why each has to be closed or not.
    for barrier in barriers {
      print("  \(network.globalID(of: barrier.location.element)): \(barrier.why)")
    }
  }
  // A device occurs once for each terminal, so meters are counted by element.
  let elements = Set(isolation.isolated.map(\.element))
  let meters = elements.filter { network.describe($0).assetGroupName == "Meter" }
  print("\(elements.count) elements are cut off, \(meters.count) of them meters")
} catch {
  FileHandle.standardError.write(Data("\(PlumbError.message(of: error))\n".utf8))
  exit(1)
}
