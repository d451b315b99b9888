import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// A feed through a pipe: each line is processed before the next is written. If the feed waited for
/// more input, the test would not end.
@Suite(.timeLimit(.minutes(1))) struct FeedLiveTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Lines of delimited text, one by one, in pieces, and several at once")
  func delimited() throws {
    let pipe = try LivePipe(folder)
    let feed = try LocationFeed(pipe.path, format: .delimited, attributes: false)
    pipe.write("id,time,x,y\n")
    for row in 0..<50 {
      pipe.write("a,\(row),1,2\n")
      let batch = try #require(try feed.next(limit: 1000))
      #expect(batch.index == [row] && batch.time == [Int64(row) * 1000])
    }
    pipe.write("a,50,1,2\na,51,1,2\na,5")
    #expect(try feed.next(limit: 1000)?.index == [50, 51])
    pipe.write("2,1,2\n")
    #expect(try feed.next(limit: 1000)?.time == [52_000])
    pipe.write("garbage\n")
    let empty = try #require(try feed.next(limit: 1000))
    #expect(empty.count == 0 && feed.drainIssues().map(\.line) == [55])
    pipe.write("a,60,1,2\na,61,1,2\na,62,1,2\n")
    #expect(try feed.next(limit: 2)?.count == 2)
    #expect(try feed.next(limit: 2)?.count == 1, "received rows do not wait")
    pipe.write("a,63,1,\"2\na,64,1,2\n")
    #expect(try feed.next(limit: 10)?.time == [64_000], "an open quote does not block")
    pipe.write("a,65,1,2")
    pipe.finish()
    #expect(try feed.next(limit: 10)?.time == [65_000], "the last line needs no end")
    #expect(try feed.next(limit: 10) == nil)
  }

  @Test("The format is recognized from the first bytes of a pipe")
  func sniffed() throws {
    for (index, (first, format)) in [
      ("time,x,y\n0,1,2\n", LocationFormat.delimited),
      (
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
          + "\"properties\":{\"time\":0}}\n", .geoJSON
      ),
    ].enumerated() {
      let pipe = try LivePipe(folder, "pipe\(index)")
      let feed = try LocationFeed(pipe.path, attributes: false)
      #expect(feed.format == nil)
      pipe.write(first)
      #expect(try feed.next(limit: 10)?.time == [0])
      #expect(feed.format == format)
    }
  }

  @Test("Features on lines and in a collection that is still being written")
  func geoJSON() throws {
    func feature(_ row: Int) -> String {
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
        + "\"properties\":{\"time\":\(row)}}"
    }
    let lines = try LivePipe(folder, "lines")
    let feed = try LocationFeed(lines.path, format: .geoJSON, attributes: false)
    for row in 0..<20 {
      lines.write(feature(row) + "\n")
      #expect(try feed.next(limit: 1000)?.index == [row])
    }
    let whole = try LivePipe(folder, "whole")
    let collection = try LocationFeed(whole.path, format: .geoJSON, attributes: false)
    whole.write("{\"type\":\"FeatureCollection\",\n\"features\":[\n")
    for row in 0..<20 {
      whole.write((row > 0 ? ",\n" : "") + feature(row))
      #expect(try collection.next(limit: 1000)?.index == [row])
    }
    whole.write("]}\n")
    whole.finish()
    #expect(try collection.next(limit: 1000) == nil)
  }

  @Test("NMEA: from the second time on, a fix is returned with the last sentence of its time")
  func nmea() throws {
    let pipe = try LivePipe(folder)
    let feed = try LocationFeed(pipe.path, format: .nmea, attributes: true)
    func rmc(_ second: Int) -> String { "$GPRMC,12003\(second),A,6012,N,02454,E,,,010526,,\n" }
    func gga(_ second: Int) -> String { "$GPGGA,12003\(second),6012,N,02454,E,1,8,0.9,4,M,,M,,\n" }
    pipe.write(rmc(0) + gga(0) + rmc(1))
    #expect(try feed.next(limit: 10)?.index == [0])
    pipe.write(gga(1))
    #expect(try feed.next(limit: 10)?.index == [1])
    pipe.write(rmc(2) + gga(2))
    let batch = try #require(try feed.next(limit: 10))
    #expect(
      batch.index == [2] && batch.attributes.first == [.integer(4)]
        || batch.attributes.first == [.real(4)])
    pipe.write(rmc(3))
    pipe.finish()
    #expect(try feed.next(limit: 10)?.index == [3])
    #expect(try feed.next(limit: 10) == nil)
  }

  @Test("NMEA: silence closes a time; later sentences for it are omitted")
  func silence() throws {
    let pipe = try LivePipe(folder)
    let feed = try LocationFeed(pipe.path, attributes: false)
    func rmc(_ second: Int) -> String { "$GPRMC,12003\(second),A,6012,N,02454,E,,,010526,,\n" }
    func gga(_ second: Int) -> String { "$GPGGA,12003\(second),6012,N,02454,E,1,8,0.9,4,M,,M,,\n" }
    for second in 0..<3 {
      pipe.write(rmc(second))
      #expect(try feed.next(limit: 10)?.index == [second])
      pipe.write(gga(second))
    }
    pipe.write(rmc(3) + "$GPRMC,12")
    #expect(try feed.next(limit: 10)?.index == [3], "half a sentence is silence, too")
    pipe.write("0034,A,6012,N,02454,E,,,010526,,\n")
    #expect(try feed.next(limit: 10)?.index == [4])
    pipe.finish()
    #expect(try feed.next(limit: 10) == nil && feed.drainIssues() == [])
  }

  @Test(
    "The feed starts in the middle: half a sentence, packets, comments, reports, then sentences"
  )
  func joined() throws {
    let sentence = "$GPRMC,120030,A,6012,N,02454,E,,,010526,,*1F\r\n"
    let starts: [[String]] = [
      ["54.000,E,1,08,0.9,45.5,M,,M,,*4C\r\n"], ["C\r\n"], ["\r\n", "\n"],
      ["# recorded\n", "# by hand\n"], ["4,M,,M,,*7", "1\r\n"],
      [#"{"class":"VERSION","release":"3.25"}"# + "\n", #"{"class":"DEVICES"}"# + "\n"],
      ["\u{0}\u{1}b\n\u{2}", "\u{3}\u{4}", "x\n"], ["\u{1}\u{2}ab"], ["2454,E,,,0105"],
    ]
    for (index, start) in starts.enumerated() {
      let pipe = try LivePipe(folder, "pipe\(index)")
      let feed = try LocationFeed(pipe.path, attributes: false)
      for part in start { pipe.write(part) }
      pipe.write(sentence)
      #expect(try feed.next(limit: 10)?.index == [0], "\(start)")
      #expect(feed.format == .nmea)
      pipe.finish()
    }
  }

  @Test("GPX: each track point when its element ends")
  func gpx() throws {
    let pipe = try LivePipe(folder)
    let feed = try LocationFeed(pipe.path, format: .gpx, attributes: false)
    pipe.write("<?xml version='1.0'?><gpx><trk><name>n</name><trkseg>")
    for row in 0..<20 {
      pipe.write("<trkpt lat='1' lon='2'><time>1970-01-01T00:00:\(row + 10)Z</time></trkpt>\n")
      #expect(try feed.next(limit: 1000)?.index == [row])
    }
    pipe.write("</trkseg></trk></gpx>")
    pipe.finish()
    #expect(try feed.next(limit: 1000) == nil)
  }
}
