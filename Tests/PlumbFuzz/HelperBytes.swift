/// Replies of helper processes, each after the number of its request.
enum HelperBytes {
  static var corpus: [[UInt8]] {
    let plain: [Part] = [.flag(false), .list([])]
    let warned: [Part] = [.flag(false), .list([.text("w")])]
    let fault: [Part] = [
      .flag(true), .list([]), .text("no such file"), .text("read_error"), .flag(false), .flag(true),
    ]
    return [
      bytes(0, plain + raster(mapping: affine, [band, alphaBand])),
      bytes(0, plain + raster(mapping: [.number(1)], [band(validity: 2, type: 7)])),
      bytes(0, plain + raster(mapping: axes, [band(validity: 3, type: 8)])),
      bytes(0, plain + raster(mapping: [.number(3), .text("no axes")], [band(validity: 5)])),
      bytes(0, fault), bytes(1, warned + layer), bytes(1, fault),
      bytes(2, plain + features), bytes(2, plain + [.flag(false)]), bytes(3, plain + points),
      bytes(3, plain + [.flag(false)]), bytes(4, plain + listing),
      bytes(4, plain + [.flag(false)]), bytes(5, plain + [.reals([1, 2, 3])]),
    ]
  }

  private indirect enum Part {
    case byte(UInt8)
    case flag(Bool)
    case number(Int)
    case real(Double)
    case reals([Double])
    case text(String)
    case raw([UInt8])
    case list([Part])
    /// Elements of several parts each.
    case rows([[Part]])
    case none
    case some([Part])

    var bytes: [UInt8] {
      func word(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
      }
      return switch self {
      case .byte(let byte): [byte]
      case .flag(let flag): [flag ? 1 : 0]
      case .number(let number): word(UInt64(bitPattern: Int64(number)))
      case .real(let number): word(number.bitPattern)
      case .reals(let numbers):
        word(UInt64(numbers.count)) + numbers.flatMap { word($0.bitPattern) }
      case .text(let text): word(UInt64(text.utf8.count)) + Array(text.utf8)
      case .raw(let bytes): word(UInt64(bytes.count)) + bytes
      case .list(let parts): word(UInt64(parts.count)) + parts.flatMap(\.bytes)
      case .rows(let rows): word(UInt64(rows.count)) + rows.flatMap { $0.flatMap(\.bytes) }
      case .none: [0]
      case .some(let parts): [1] + parts.flatMap(\.bytes)
      }
    }
  }

  private static func bytes(_ kind: UInt8, _ parts: [Part]) -> [UInt8] {
    [kind] + parts.flatMap(\.bytes)
  }

  // MARK: Rasters

  private static let affine: [Part] = [.number(0), .reals([18, 0.5, 0, -33, 0, -0.5])]
  private static let axes: [Part] = [
    .number(2), .flag(true), .reals([18, 0.5]), .number(4), .flag(false), .reals([1, 2, 4, 8]),
    .reals([0.5, 1.5, 3, 6]), .reals([1.5, 3, 6, 10]), .flag(false),
  ]
  private static let band = band(validity: 1)
  private static let alphaBand = band(validity: 4)

  private static func band(validity: Int, type: UInt8 = 0) -> [Part] {
    var parts: [Part] = [.byte(type), .number(validity)]
    switch validity {
    case 1: parts.append(.real(-9999))
    case 2, 3: parts.append(.number(-7))
    case 4: parts.append(.number(1))
    case 5: parts.append(.flag(true))
    default: break
    }
    parts += [.real(0.5), .real(10), .text("m"), .text("height"), .text("Gray")]
    parts.append(.some([.rows([[.real(0), .real(1), .text("low")]])]))
    // Two colours of four bytes.
    return parts + [.number(2), .number(-1)]
  }

  private static func raster(mapping: [Part], _ bands: [[Part]]) -> [Part] {
    var parts: [Part] = [.list([.number(4), .number(4), .number(4), .number(2)])]
    parts += mapping
    parts += [.some([.text("a note")]), .some([.text("EPSG:4326")]), .some([.real(360)])]
    parts += [.rows(bands), .flag(false)]
    // Details.
    parts += [.text("GTiff"), .some([.text("LZW")]), .none]
    parts.append(.list([.number(4), .number(2), .number(0)]))
    parts += [
      .rows([[.list([.number(2), .number(2)])]]),
      .rows([[.list([.text("AREA"), .text("Point")])]]),
      .list([.text("a.tif")]), .list([.text("gcps")]), .list([]), .some([.number(8)]),
    ]
    return parts
  }

  // MARK: Features

  private static let layer: [Part] = [
    .text("roads"),
    .rows([
      [.text("name"), .number(3), .none],
      [.text("lanes"), .number(0), .some([.list((0..<4).map { .number($0) })])],
    ]), .some([.text("EPSG:4326")]), .some([.number(2)]), .flag(true), .some([.text("LineString")]),
    .some([.reals([0, 0, 1, 1])]), .list([.text("roads.shp")]), .flag(false), .flag(true),
    .flag(false),
  ]

  private static let vertices: [Part] = [
    .number(2), .real(0), .real(0), .real(1), .real(1), .flag(true), .reals([5, 6]), .flag(false),
  ]

  private static let features: [Part] = [
    .flag(true),
    .rows([
      [
        .some([.number(7)]), .byte(1), .text("a"), .byte(2), .number(3),
        .some([.byte(2)] + vertices + [.list([.number(2)])]), .list([]),
      ],
      [
        .none, .byte(0), .byte(3), .real(1.5),
        .some([
          .byte(3), .number(3), .real(0), .real(0), .real(1), .real(0), .real(1), .real(1),
          .flag(false), .flag(true), .reals([1, 2, 3]), .list([.number(3)]), .list([.number(1)]),
        ]), .rows([[.byte(0), .reals([1, 2]), .some([.real(3)]), .none]]),
      ],
      [
        .none, .byte(4), .flag(true), .byte(5), .text("{}"), .some([.byte(1)] + vertices),
        .list([]),
      ],
    ]), .list([.number(1), .number(2), .number(3)]),
    .rows([[.text("a ring is open"), .some([.number(2)]), .flag(false)]]),
  ]

  private static let points: [Part] = [
    .flag(true), .reals([1, 2]), .reals([3, 4]), .raw([0, 1]), .raw([0, 1]), .byte(1), .text("a"),
    .byte(2), .number(1), .byte(0), .byte(0),
  ]

  private static let listing: [Part] = [
    .flag(true), .text("GPKG"),
    .rows([
      [
        .text("roads"), .list([.flag(true), .flag(false), .flag(true)]), .text("Point"),
        .some([.number(2)]), .some([.text("EPSG:4326")]), .list([.text("a")]),
      ]
    ]),
  ]
}
