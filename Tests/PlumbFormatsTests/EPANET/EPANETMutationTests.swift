import PlumbFormats
import PlumbIO
import PlumbTestSupport
import Testing

/// Damaged files give a consistent network, or a fault with a line.
@Suite struct EPANETMutationTests {
  private static let text = """
    [TITLE]
    Town
    [JUNCTIONS]
     J1 10 5 p ;a
     J2 "12.5" 0
     é 1e2
    [RESERVOIRS]
     R 100
    [TANKS]
     T 50 1 0 5 20 0 * Yes
    [PIPES]
     P1 R J1 100 12 130 0 Open ;
     P2 J1 J2 200 8 130 CV
     P3 J2 é 300 8 130 0.5
    [PUMPS]
     U J2 T HEAD 1 SPEED 1.1
    [VALVES]
     V J1 T 12 PRV 40 0
     G J2 T 12 GPV c
    [STATUS]
     P1 Closed
     P1 V Open
     U 1.2
    [DEMANDS]
     J1 3
     J1 4 p
    [COORDINATES]
     J1 0 0
     R -1 5.5
    [VERTICES]
     P1 1 2
     P1 3 4
    [TAGS]
     NODE J1 x
    [OPTIONS]
     UNITS LPS
     HEADLOSS H-W
    [LABELS]
     1 2 "text"
    [END]

    """
  private static let pieces: [[UInt8]] = [
    [], [0x0A], [0x0D], [0x00], [0xFF], [0x09], Array("\"".utf8), Array(";".utf8), Array("[".utf8),
    Array("[PIPES]\n".utf8), Array("[STATUS]\n".utf8), Array("\nJ1 J2 ".utf8), Array("-1e400".utf8),
    Array("99999999999999999999999".utf8), [0xEF, 0xBB, 0xBF], Array(" CV ".utf8),
  ]

  @Test func `six thousand damaged files never trap`() throws {
    var random = SeededGenerator(seed: 5)
    var (readCount, faultCount) = (0, 0)
    for _ in 0..<6000 {
      var bytes = Array(Self.text.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          bytes.replaceSubrange(start..<end, with: Self.pieces.randomElement(using: &random) ?? [])
        case 1:
          bytes.insert(
            contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
        case 2: if start < bytes.count { bytes[start] = UInt8.random(in: 0...255, using: &random) }
        default: bytes.removeSubrange(start..<end)
        }
      }
      do throws(FormatError) {
        let network = try EPANETText.network(bytes)
        readCount += 1
        #expect(
          network.links.allSatisfy {
            network.nodes.indices.contains($0.start) && network.nodes.indices.contains($0.end)
          })
        #expect(Set(network.nodes.map(\.id)).count == network.nodes.count)
        #expect(Set(network.links.map(\.id)).count == network.links.count)
        for index in network.links.indices { _ = network.vertices(ofLink: index).count }
        _ = try EPANETText.layer("link,node\nP1,R\n", of: network)
      } catch {
        faultCount += 1
        #expect(!error.message.contains { $0.isNewline })
      }
    }
    // Both outcomes must be frequent; otherwise the test of damaged files would be useless.
    #expect(readCount > 1000 && faultCount > 1000)
  }

  @Test func `every prefix of a file is accepted or rejected`() {
    let bytes = Array(Self.text.utf8)
    var readCount = 0
    for count in 0...bytes.count {
      if let network = try? EPANETText.network(Array(bytes.prefix(count))) {
        readCount += 1
        #expect(network.nodes.count <= 5 && network.links.count <= 6)
      }
    }
    #expect(readCount > 100)
  }
}
