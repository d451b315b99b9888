import PlumbIO
import PlumbTestSupport
import Testing

/// Entities that expand without bound are found before a file is parsed, wherever they are
/// declared.
@Suite struct XMLPrologueTests {
  private static let bomb =
    "<!ENTITY e0 \"lollollol\">\n<!ENTITY e1 \"&e0;&e0;&e0;&e0;&e0;&e0;&e0;&e0;&e0;&e0;\">\n"
  private static let root = "<AX_Bestandsdatenauszug>&e1;</AX_Bestandsdatenauszug>"

  /// - Parameter piece: the number of bytes in each piece.
  private static func look(_ bytes: [UInt8], piece: Int = .max) -> XMLPrologue.Finding {
    var position = 0
    return XMLPrologue.look { buffer in
      let count = min(piece, buffer.count, bytes.count - position)
      buffer.copyBytes(from: bytes[position..<(position + count)])
      position += count
      return count
    }
  }

  private enum Encoding: CaseIterable {
    case utf8, mark, big16, little16, big32, little32

    var width: Int {
      switch self {
      case .utf8, .mark: 1
      case .big16, .little16: 2
      case .big32, .little32: 4
      }
    }
  }

  private static func encoded(_ text: String, _ encoding: Encoding, mark: Bool) -> [UInt8] {
    func units<Unit: FixedWidthInteger>(_ units: [Unit], _ isBig: Bool) -> [UInt8] {
      units.flatMap { unit in
        withUnsafeBytes(of: isBig ? unit.bigEndian : unit.littleEndian) { Array($0) }
      }
    }
    let marked = (mark ? "\u{FEFF}" : "") + text
    return switch encoding {
    case .utf8: Array(text.utf8)
    case .mark: Array(("\u{FEFF}" + text).utf8)
    case .big16: units(Array(marked.utf16), true)
    case .little16: units(Array(marked.utf16), false)
    case .big32: units(marked.unicodeScalars.map(\.value), true)
    case .little32: units(marked.unicodeScalars.map(\.value), false)
    }
  }

  private static let hidden: [String] = [
    "<!DOCTYPE l [\(bomb)]>" + root,
    "<?xml version=\"1.0\"?>\n<!DOCTYPE l [<!-- ]> -->\n\(bomb)]>" + root,
    "<!DOCTYPE l [<!ENTITY q \"]>\">\(bomb)]>" + root,
    "<!DOCTYPE l [<!ENTITY q \"\u{301}]>\">\(bomb)]>" + root,
    "<!DOCTYPE l [<!ENTITY e0 \"x\"><!ENTITY e1 \"\u{301}&e0;&e0;\">]>" + root,
    "<!DOCTYPE l [<!ENTITY e0 'x'><!ENTITY e1 '\u{301}&e0;'>]>" + root,
    "<!DOCTYPE l [<!ENTITY e0 'x'><!ENTITY e1 '&#38;e0;&#38;e0;'>]>" + root,
    "<!DOCTYPE l [<!ENTITY e0 'x'><!ENTITY e1 '&#x26;e0;'>]>" + root,
    "<!DOCTYPE l [<!ENTITY % p '<!ENTITY e0 \"x\">'>%p;]>" + root,
    "<!DOCTYPE l [<!ENTITY % p SYSTEM 'x.dtd'>%p;]>" + root,
    "<!DOCTYPE l [<!ENTITY x SYSTEM '/etc/passwd'>]>" + root,
    "<!DOCTYPE l [<?p ]> ?>\(bomb)]>" + root,
    "<!DOCTYPE l [<!ATTLIST a b CDATA ']>'>\(bomb)]>" + root,
    "<!DOCTYPE l [<!ELEMENT a ANY>\n\(bomb)]>" + root,
    "<!doctype l [\(bomb)]>" + root,
    "<!DOCTYPE l SYSTEM 'a]>b' [\(bomb)]>" + root,
    "<!DOCTYPE l [<![INCLUDE[\(bomb)]]>]>" + root,
    "<!DOCTYPE l [\(bomb)",
    "<?x <!-- ?><!-- --- --><!DOCTYPE l [\(bomb)]>" + root,
    "<?xml version='1.0' encoding='UTF-7'?>+ADw-a/+AD4-",
    "<?xml version='1.0' encoding='IBM037'?><a/>",
    "<!--" + String(repeating: "-x", count: 40_000) + "--><!DOCTYPE l [\(bomb)]>" + root,
    "<!DOCTYPE l [<!ENTITY e '" + String(repeating: "x", count: 5000) + "'>]>" + root,
  ]

  private static let plain: [String] = [
    "", "<a/>",
    "<?xml version='1.0' encoding='ISO-8859-15'?>\n<!-- <!DOCTYPE l [<!ENTITY a '&b;'>]> --><a/>",
    "<!DOCTYPE l [<!ENTITY e0 'x'><!ENTITY n '&#233;&amp;&lt;'>]>" + root,
    "<!DOCTYPE gpx SYSTEM 'http://www.topografix.com/gpx.dtd'><gpx/>",
    "{\"a\": \"<!DOCTYPE l [\"}", "x,y\n1,2\n",
    "<a><![CDATA[<!DOCTYPE l [<!ENTITY a 'x'><!ENTITY b '&a;'>]>]]></a>",
  ]

  @Test func `expanding and external declarations are found in each encoding`() {
    for text in Self.hidden {
      for encoding in Encoding.allCases {
        // A declared encoding determines the letters of single bytes.
        if text.contains("encoding="), encoding != .utf8, encoding != .mark { continue }
        for mark in [true, false] {
          let bytes = Self.encoded(text, encoding, mark: mark)
          #expect(Self.look(bytes).fault != nil, "\(encoding) \(mark): \(text.prefix(80))")
        }
      }
    }
  }

  /// A program may write the declaration before it chooses the encoding.
  @Test func `the actual encoding is used if the declaration names another`() {
    for (name, width) in [("utf-8", 1), ("UTF-16", 2), ("utf-32", 4), ("ISO-8859-1", 1)] {
      let head = "<?xml version='1.0' encoding='\(name)'?>\n"
      for encoding in Encoding.allCases {
        for mark in [true, false] {
          let plain = Self.encoded(head + "<!-- x --><a/>", encoding, mark: mark)
          #expect(Self.look(plain).fault == nil, "\(encoding) \(mark) \(name)")
          let bomb = "<!DOCTYPE l [\(Self.bomb)]>" + Self.root
          let encodedText = Self.encoded(head + bomb, encoding, mark: mark)
          #expect(
            Self.look(encodedText).fault?.contains("nested entities") == true,
            "\(encoding) \(mark) \(name)")
          // Only a parser that follows the declaration can read this.
          for other in Encoding.allCases
          where other.width == width && encoding.width != width && other != .mark {
            let mixed =
              Self.encoded(head, encoding, mark: mark) + Self.encoded(bomb, other, mark: false)
            #expect(Self.look(mixed).fault != nil, "\(encoding) \(other) \(name)")
          }
        }
      }
    }
  }

  @Test func `plain documents and other files are not refused`() {
    for text in Self.plain {
      #expect(Self.look(Array(text.utf8)).fault == nil, "\(text)")
    }
    #expect(Self.look(Array(Self.plain[4].utf8)).namesDeclarations)
    // Bytes of files in other formats.
    let starts: [[UInt8]] = [
      [0x49, 0x49, 0x2A, 0], [0, 0, 0x27, 0x0A], [0x89, 0x50, 0x4E, 0x47], [0, 0, 0, 0],
    ]
    for start in starts {
      #expect(Self.look(start + [UInt8](repeating: 7, count: 64)).fault == nil)
    }
  }

  @Test func `the size of the pieces does not matter`() {
    for text in Self.hidden.prefix(12) {
      for piece in [1, 3, 7] {
        #expect(Self.look(Self.encoded(text, .little16, mark: true), piece: piece).fault != nil)
      }
    }
  }

  @Test func `the content before the first element is limited`() {
    // A comment without an end, which is not stored.
    var isFirst = true
    let finding = XMLPrologue.look(limit: 1 << 18) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "))
      if isFirst { buffer.copyBytes(from: Array("<!--".utf8)) }
      isFirst = false
      return buffer.count
    }
    #expect(finding.fault?.contains("precede its first element") == true)
  }

  /// Seeded: declarations after comments, instructions and blanks of any length.
  @Test func `declarations after anything are found`() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<200 {
      var text = ""
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let length = Int.random(in: 0...300, using: &generator)
        let letter = ["x", "->", "]>", "\u{301}", "\"", "- "].randomElement(using: &generator)!
        let filling = String(repeating: letter, count: length)
        text +=
          ["<!-- \(filling) -->", "<?p \(filling)?>", "\n\t "].randomElement(using: &generator)!
      }
      text += "<!DOCTYPE l [" + ["", "<!-- ]> -->", "<?q ]>?>"].randomElement(using: &generator)!
      text += Self.bomb + "]>" + Self.root
      let encoding = Encoding.allCases.randomElement(using: &generator)!
      let piece = Int.random(in: 1...5000, using: &generator)
      #expect(
        Self.look(Self.encoded(text, encoding, mark: true), piece: piece).fault != nil,
        "round \(round)")
    }
  }
}
