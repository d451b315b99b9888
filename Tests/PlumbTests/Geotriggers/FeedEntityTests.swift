import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// The column or property that identifies the entities of a feed.
@Suite struct FeedEntityTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func feed(_ columns: [String], _ values: [String]) throws -> LocationFeed {
    let path = folder.path("feed.csv")
    try folder.write(
      "feed.csv",
      (["time", "x", "y"] + columns).joined(separator: ",") + "\n"
        + (["0", "1", "2"] + values).joined(separator: ",") + "\n")
    return try LocationFeed(path, attributes: false)
  }

  private func feature(_ properties: String) throws -> LocationFeed {
    try folder.write(
      "feed.geojson",
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"time":0,"#
        + properties + "}}\n")
    return try LocationFeed(folder.path("feed.geojson"), attributes: false)
  }

  @Test(
    "Usual names, regardless of case and with any separators, in columns and properties",
    arguments: [
      "id", "Entity", "device", "device_id", "deviceId", "Device ID", "VEHICLE-ID", "vehicle",
      "trackid", "track_id", "unit", "asset", "asset.id", "imei", "MMSI", "icao24", "callsign",
      "individual-local-identifier",
    ])
  func usual(_ name: String) throws {
    for feed in [try feed([name], ["bus"]), try feature("\"\(name)\":\"bus\"")] {
      let batch = try #require(try feed.next(limit: 10))
      #expect(feed.entities[batch.entity[0]] == "bus")
      let isPlain = ["id", "Entity"].contains(name)
      let remarks = feed.drainRemarks()
      #expect(remarks.count == (isPlain ? 0 : 1) && remarks.allSatisfy { $0.contains(name) })
      #expect(feed.drainRemarks() == [])
    }
  }

  @Test("The likeliest of several is used; next to id or entity several are an error")
  func several() throws {
    for feed in [
      try feed(["callsign", "MMSI"], ["x", "123"]),
      try feature(#""callsign":"x","MMSI":123"#),
      try feed(["imei", "mmsi", "device"], ["1", "2", "123"]),
      try feature(#""imei":1,"mmsi":2,"device":"123""#),
      try feed(["callsign", "id"], ["x", "123"]), try feature(#""callsign":"x","id":123"#),
    ] {
      let batch = try #require(try feed.next(limit: 10))
      #expect(feed.entities[batch.entity[0]] == "123")
    }
    for names in [
      ["id", "device_id"], ["vehicle", "entity"], ["id", "entity"], ["imei", "IMEI"],
    ] {
      let error = #expect(throws: PlumbError.self) { try feed(names, ["1", "2"]) }
      #expect(error?.message.contains("several columns could hold the id") == true)
      let properties = try feature("\"\(names[0])\":1,\"\(names[1])\":2")
      let other = #expect(throws: PlumbError.self) { try properties.next(limit: 10) }
      #expect(other?.message.contains("two properties of a feature could hold the id") == true)
    }
  }

  @Test(
    "A column that is named is the only one used; rows without one are one entity, with a remark")
  func others() throws {
    try folder.write("named.csv", "id,device_id,time,x,y\n1,bus,0,1,2\n")
    let named = try LocationFeed(
      folder.path("named.csv"), columns: LocationColumns(id: "device_id"), attributes: false)
    let batch = try #require(try named.next(limit: 10))
    #expect(named.entities[batch.entity[0]] == "bus" && named.drainRemarks() == [])
    let one = try feed(["driver"], ["ada"])
    #expect(try one.next(limit: 10)?.entity == [0] && one.entities[0] == "")
    #expect(one.drainRemarks().first?.contains("all rows are one entity") == true)
    #expect(try feed([], []).drainRemarks() == [], "there is no other candidate")
    #expect(try feed(["speed"], ["3"]).drainRemarks() == [])
  }
}
