import Plumb

/// A network to serve. It is parsed from a path, optionally followed by `,valves=PATH` and
/// `,crs=REFERENCE`.
package struct NetworkChoice: Sendable {
  package var path: String
  /// A table of isolation valves, for an EPANET network.
  package var valveLayer: String?
  /// The CRS of a network that does not define a CRS.
  package var reference: SpatialReference?

  private static let keys = ["valves", "crs"]

  /// - Throws: for a key that is repeated or has no value, and for an invalid CRS.
  package init(_ text: String) throws(PlumbError) {
    var values: [String: String] = [:]
    var (path, last): (String, String?) = ("", nil)
    for (index, part) in text.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
      if index > 0, let key = Self.keys.first(where: { part.utf8.starts(with: "\($0)=".utf8) }) {
        guard values[key] == nil else {
          throw PlumbError("\(text.printable): \(key)= is given twice", code: .badOption)
        }
        values[key] = String(part.dropFirst(key.count + 1))
        last = key
      } else if let last {
        // A CRS definition may contain commas.
        values[last, default: ""] += "," + part
      } else {
        path += (index > 0 ? "," : "") + part
      }
    }
    for key in Self.keys where values[key]?.isEmpty == true {
      throw PlumbError("\(text.printable): \(key)= has no value", code: .badOption)
    }
    self.path = path
    valveLayer = values["valves"]
    do {
      reference = try values["crs"].map { try SpatialReference($0) }
    } catch {
      throw PlumbError("\(text.printable)", error)
    }
  }
}
