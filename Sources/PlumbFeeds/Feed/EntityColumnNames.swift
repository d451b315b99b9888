import PlumbCore
import PlumbIO

/// The known names of columns and properties that identify entities, compared without regard to
/// case, `_`, `-`, dots and spaces.
///
/// The names `id`, `entity` and `entityid` are ambiguous: for example, `id` may be the id of the
/// row. If a column with another name of the list is present too, the user has to choose the
/// column. Otherwise the first name in the list is used. A call sign is used only if no other known column is present, because
/// a call sign may change, and several entities may share it.
enum EntityColumnNames {
  private static let generic = ["id", "entity", "entityid"]
  private static let specific = [
    "deviceid", "device", "vehicleid", "vehicle", "trackid", "trackerid", "tracker", "unitid",
    "unit", "assetid", "asset", "imei", "mmsi", "icao24", "individuallocalidentifier",
    "taglocalidentifier",
  ]
  private static let weak = ["callsign"]
  private static let all: [[UInt8]] = (generic + specific + weak).map { Array($0.utf8) }

  /// Returns the rank of a known name; nil for an unknown name. The most likely name has rank 0.
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

  /// Returns the position of the most likely column, and the position of another column that is
  /// equally likely; nil if there is none.
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

  /// Whether a name is so common that the user needs no note about its use.
  static func isExpected(_ name: String) -> Bool {
    rank(of: name.utf8).map { $0 < generic.count } ?? false
  }
}
