import PlumbCore

/// The GeoTIFF keys, which define the CRS.
package struct GeoKeys: Sendable {
  /// Whether a tiepoint is at the centre of a cell instead of its corner.
  let isPixelPoint: Bool
  /// The bytes of the three GeoKey tags; files with equal bytes have the same CRS.
  package let signature: [UInt8]
  /// The EPSG code of the complete CRS; nil if there is none, or if another key may change the CRS.
  package let code: Int?

  private static let directoryTag = 34735
  private static let realsTag = 34736
  private static let textTag = 34737
  private static let largest = 1 << 16

  /// - Returns: nil if the tags are invalid, or define a vertical CRS.
  init?(_ directory: TIFFDirectory, _ read: TIFFDirectory.Read<Never>) {
    guard directory.entries[Self.directoryTag] != nil else {
      guard directory.entries[Self.realsTag] == nil, directory.entries[Self.textTag] == nil else {
        return nil
      }
      (isPixelPoint, signature, code) = (false, [], nil)
      return
    }
    guard directory.entries[Self.directoryTag]?.type == 3,
      let shorts = directory.integers(Self.directoryTag, limit: Self.largest, read),
      shorts.count >= 4, shorts[0] == 1, shorts[1] == 1, shorts[3] == shorts.count / 4 - 1
    else { return nil }
    var signature: [UInt8] = directory.order.isLittle ? [1] : [0]
    for tag in [Self.directoryTag, Self.realsTag, Self.textTag] where directory.entries[tag] != nil
    {
      guard let bytes = directory.bytes(tag, limit: Self.largest, read) else { return nil }
      signature += bytes
      signature.append(UInt8(truncatingIfNeeded: tag))
    }
    let reals = directory.reals(Self.realsTag, limit: Self.largest, read) ?? []
    let text = directory.text(Self.textTag, limit: Self.largest, read)
    var keys: [Int: Value] = [:]
    for start in stride(from: 4, to: shorts.count - 3, by: 4) {
      let (key, tag, count, value) = (
        shorts[start], shorts[start + 1], shorts[start + 2], shorts[start + 3]
      )
      // Keys must be in ascending order.
      guard start == 4 || shorts[start - 4] < key else { return nil }
      switch tag {
      case 0 where count == 1: keys[key] = .code(value)
      case Self.realsTag where count == 1 && value < reals.count: keys[key] = .real(reals[value])
      case Self.textTag where value + count <= text?.utf8.count ?? 0: keys[key] = .text
      default: return nil
      }
    }
    // A vertical CRS may define the unit of bands, and the height of cells.
    guard !keys.keys.contains(where: { $0 >= 4096 }) else { return nil }
    switch keys[Key.rasterType] {
    case nil, .code(1): isPixelPoint = false
    case .code(2): isPixelPoint = true
    default: return nil
    }
    self.signature = signature
    code = Self.code(keys, citations: text ?? "=")
  }

  private enum Value: Equatable {
    case code(Int)
    case real(Double)
    case text
  }

  private enum Key {
    static let modelType = 1024
    static let rasterType = 1025
    static let citation = 1026
    static let geographic = 2048
    static let geographicCitation = 2049
    static let angularUnit = 2054
    static let semiMajorAxis = 2057
    static let inverseFlattening = 2059
    static let projected = 3072
    static let projectedCitation = 3073
    static let linearUnit = 3076
  }

  /// Returns the value of the property `code`. A citation may contain a complete CRS that another
  /// program wrote as `name=value` or after the program's name; the result is then nil.
  private static func code(_ keys: [Int: Value], citations: String) -> Int? {
    guard !citations.contains("="), !citations.contains("ESRI"), !citations.contains("IMAGINE")
    else { return nil }
    let plain = [Key.modelType, Key.rasterType, Key.citation, Key.geographicCitation]
    for (key, value) in keys where !plain.contains(key) {
      let isExpected =
        switch key {
        case Key.geographic: value == .code(4326) || keys[Key.modelType] == .code(2)
        case Key.angularUnit: value == .code(9102)
        case Key.semiMajorAxis: value == .real(6_378_137)
        case Key.inverseFlattening: value == .real(298.257_223_563)
        case Key.projected, Key.projectedCitation: keys[Key.modelType] == .code(1)
        case Key.linearUnit: value == .code(9001) && keys[Key.modelType] == .code(1)
        default: false
        }
      guard isExpected else { return nil }
    }
    let named =
      switch keys[Key.modelType] {
      case .code(1): keys[Key.projected]
      case .code(2): keys[Key.geographic]
      default: Value?.none
      }
    guard case .code(let code) = named, (1024..<32767).contains(code) else { return nil }
    return code
  }
}
