import PlumbCore
import PlumbIO

/// The known names of columns and properties that identify entities, compared without regard to case,
/// `_`, `-`, dots and spaces.
///
/// `id` and `entity` are ambiguous: `id` may be the id of the row. If another name of the list is present
/// too, the user has to choose. Otherwise the first name in the list is used. A call sign is used only if
/// there is no other column, because it may change, and several entities may share it.
enum EntityColumnNames {
  private static let generic = ["id", "entity", "entityid"]
  private static let specific = [
    "deviceid", "device", "vehicleid", "vehicle", "trackid", "trackerid", "tracker", "unitid",
    "unit", "assetid", "asset", "imei", "mmsi", "icao24", "individuallocalidentifier",
    "taglocalidentifier",
  ]
  private static let weak = ["callsign"]
  private static let all: [[UInt8]] = (generic + specific + weak).map { Array($0.utf8) }

  /// The rank of a known name, 0 for the most likely one; nil for an unknown name.
  static func rank(of name: some Collection<UInt8>) -> Int? {
    for (rank, usual) in all.enumerated() where matches(name, usual) { return rank }
    return nil
  }

  private static func matches(_ name: some Collection<UInt8>, _ usual: [UInt8]) -> Bool {
    var position = 0
    for byte in name {
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "): continue
      default: break
      }
      guard position < usual.count, usual[position] == byte.lowercasedASCII else { return false }
      position += 1
    }
    return position == usual.count
  }

  /// Whether two columns with these ranks are equally likely to identify the entity.
  static func areRivals(_ first: Int, _ second: Int) -> Bool {
    let (smaller, larger) = (min(first, second), max(first, second))
    return smaller == larger || smaller < generic.count && larger < generic.count + specific.count
  }

  /// The positions of the most likely column, and of another column that is equally likely.
  static func choice(among ranks: [Int?]) -> (best: Int?, rival: Int?) {
    var best: (position: Int, rank: Int)?
    for (position, rank) in ranks.enumerated() {
      guard let rank else { continue }
      guard let known = best else {
        best = (position, rank)
        continue
      }
      if areRivals(known.rank, rank) { return (known.position, position) }
      if rank < known.rank { best = (position, rank) }
    }
    return (best?.position, nil)
  }

  /// Whether a name is so common that no note is needed when it is used.
  static func isExpected(_ name: String) -> Bool {
    rank(of: name.utf8).map { $0 < generic.count } ?? false
  }
}
