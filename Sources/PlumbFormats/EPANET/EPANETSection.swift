/// The sections of an input file. Headings are identified by their first four letters, ignoring case.
enum EPANETSection: String, CaseIterable {
  case title, junctions, reservoirs, tanks, pipes, pumps, valves
  case demands, status, options, coordinates, vertices, tags, end
  // Sections that do not affect the layout of the network.
  case controls, rules, sources, emitters, leakage, patterns, curves, quality, roughness, energy
  case reactions, mixing, report, times, labels, backdrop

  private static let known: [[UInt8]: EPANETSection] = Dictionary(
    uniqueKeysWithValues: allCases.map { (Array($0.rawValue.utf8.prefix(4)), $0) })

  /// - Parameter name: the text after the opening bracket.
  init?(name: Slice<UnsafeBufferPointer<UInt8>>) {
    let letters = name.prefix(4).map { $0 | 0x20 }
    // The heading `[END]` has only three letters.
    let key =
      letters.count == 4 && letters[3] == UInt8(ascii: "]") | 0x20
      ? Array(letters.prefix(3)) : letters
    guard let section = Self.known[key] else { return nil }
    self = section
  }
}
