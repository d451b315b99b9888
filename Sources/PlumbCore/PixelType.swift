/// The type of a stored cell value, as in GDAL.
///
/// Floats of 16 and 24 bits exist in files only; they are read as `float32`, which represents all their
/// values exactly.
public enum PixelType: UInt8, Sendable, Hashable, CaseIterable {
  /// Integers of 8 to 64 bits, unsigned and signed.
  case uint8, int8, uint16, int16, uint32, int32, uint64, int64
  /// IEEE floats.
  case float32, float64
  /// A real and an imaginary part, each of the named type.
  case complexInt16, complexInt32, complexFloat32, complexFloat64

  /// The size of a value in bytes.
  @inlinable
  public var byteCount: Int {
    switch self {
    case .uint8, .int8: 1
    case .uint16, .int16: 2
    case .uint32, .int32, .float32, .complexInt16: 4
    case .uint64, .int64, .float64, .complexInt32, .complexFloat32: 8
    case .complexFloat64: 16
    }
  }

  /// The name in output, the same as in numpy and rasterio.
  public var name: String {
    switch self {
    case .uint8: "uint8"
    case .int8: "int8"
    case .uint16: "uint16"
    case .int16: "int16"
    case .uint32: "uint32"
    case .int32: "int32"
    case .uint64: "uint64"
    case .int64: "int64"
    case .float32: "float32"
    case .float64: "float64"
    case .complexInt16: "complex_int16"
    case .complexInt32: "complex_int32"
    case .complexFloat32: "complex64"
    case .complexFloat64: "complex128"
    }
  }

  /// Whether a value has an imaginary part.
  public var isComplex: Bool {
    switch self {
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: true
    default: false
    }
  }

  /// Whether a value, or each part of a complex value, is a float and can therefore be NaN.
  public var isFloatingPoint: Bool {
    switch self {
    case .float32, .float64, .complexFloat32, .complexFloat64: true
    default: false
    }
  }

  /// The type of one component: the type itself if it is not complex.
  public var component: PixelType {
    switch self {
    case .complexInt16: .int16
    case .complexInt32: .int32
    case .complexFloat32: .float32
    case .complexFloat64: .float64
    default: self
    }
  }

  /// The narrowest type that represents all values of both types, or nil if there is none.
  public static func union(_ a: PixelType, _ b: PixelType) -> PixelType? {
    if a == b { return a }
    return allCases.filter { $0.holds(a) && $0.holds(b) }.min { $0.byteCount < $1.byteCount }
  }

  /// Whether this type represents every value of `other` exactly.
  func holds(_ other: PixelType) -> Bool {
    if self == other { return true }
    if other.isComplex { return isComplex && component.holds(other.component) }
    if isComplex { return component.holds(other) }
    let (mine, theirs) = (integerRange, other.integerRange)
    if let mine, let theirs {
      return mine.signed == theirs.signed
        ? mine.bits >= theirs.bits : mine.signed && mine.bits > theirs.bits
    }
    switch self {
    case .float32: return (theirs?.bits).map { $0 <= 16 } ?? false
    case .float64: return (theirs?.bits).map { $0 <= 32 } ?? true
    default: return false
    }
  }

  private var integerRange: (bits: Int, signed: Bool)? {
    switch self {
    case .uint8: (8, false)
    case .int8: (8, true)
    case .uint16: (16, false)
    case .int16: (16, true)
    case .uint32: (32, false)
    case .int32: (32, true)
    case .uint64: (64, false)
    case .int64: (64, true)
    default: nil
    }
  }
}
