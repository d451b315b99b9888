import PlumbCore

/// A cell's value in its stored type.
public enum CellValue: Sendable, Hashable {
  /// A value of `int8` to `int64`.
  case signed(Int64)
  /// A value of `uint8` to `uint64`.
  case unsigned(UInt64)
  /// A value of `float32`; 16-bit and 24-bit floats are converted to `float32`.
  case float32(Float)
  /// A value of `float64`, or an interpolated value.
  case float64(Double)
  /// The real and the imaginary part of `complex_int16` or `complex_int32`.
  case complexInteger(Int64, Int64)
  /// The real and the imaginary part of `complex64`.
  case complexFloat32(Float, Float)
  /// The real and the imaginary part of `complex128`.
  case complexFloat64(Double, Double)

  /// The value as a double, with integers beyond 2^53 rounded; nil if the value is complex.
  public var real: Double? {
    switch self {
    case .signed(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .float32(let value): Double(value)
    case .float64(let value): value
    case .complexInteger, .complexFloat32, .complexFloat64: nil
    }
  }

  /// Reads a value of the given type from memory.
  public init(_ type: PixelType, at p: UnsafeRawPointer) {
    switch type {
    case .uint8: self = .unsigned(UInt64(p.load(as: UInt8.self)))
    case .int8: self = .signed(Int64(p.load(as: Int8.self)))
    case .uint16: self = .unsigned(UInt64(p.load(as: UInt16.self)))
    case .int16: self = .signed(Int64(p.load(as: Int16.self)))
    case .uint32: self = .unsigned(UInt64(p.load(as: UInt32.self)))
    case .int32: self = .signed(Int64(p.load(as: Int32.self)))
    case .uint64: self = .unsigned(p.load(as: UInt64.self))
    case .int64: self = .signed(p.load(as: Int64.self))
    case .float32: self = .float32(p.load(as: Float.self))
    case .float64: self = .float64(p.load(as: Double.self))
    case .complexInt16:
      self = .complexInteger(
        Int64(p.load(as: Int16.self)), Int64(p.load(fromByteOffset: 2, as: Int16.self)))
    case .complexInt32:
      self = .complexInteger(
        Int64(p.load(as: Int32.self)), Int64(p.load(fromByteOffset: 4, as: Int32.self)))
    case .complexFloat32:
      self = .complexFloat32(p.load(as: Float.self), p.load(fromByteOffset: 4, as: Float.self))
    case .complexFloat64:
      self = .complexFloat64(p.load(as: Double.self), p.load(fromByteOffset: 8, as: Double.self))
    }
  }

  /// Writes the value as another type that can represent it (see `PixelType.union`).
  package func store(as type: PixelType, at p: UnsafeMutableRawPointer) {
    switch type {
    case .uint8: p.storeBytes(of: UInt8(truncatingIfNeeded: integer), as: UInt8.self)
    case .int8: p.storeBytes(of: Int8(truncatingIfNeeded: integer), as: Int8.self)
    case .uint16: p.storeBytes(of: UInt16(truncatingIfNeeded: integer), as: UInt16.self)
    case .int16: p.storeBytes(of: Int16(truncatingIfNeeded: integer), as: Int16.self)
    case .uint32: p.storeBytes(of: UInt32(truncatingIfNeeded: integer), as: UInt32.self)
    case .int32: p.storeBytes(of: Int32(truncatingIfNeeded: integer), as: Int32.self)
    case .uint64: p.storeBytes(of: UInt64(truncatingIfNeeded: integer), as: UInt64.self)
    case .int64: p.storeBytes(of: integer, as: Int64.self)
    case .float32: p.storeBytes(of: Float(parts.real), as: Float.self)
    case .float64: p.storeBytes(of: parts.real, as: Double.self)
    case .complexInt16:
      p.storeBytes(of: Int16(truncatingIfNeeded: integer), as: Int16.self)
      p.storeBytes(of: Int16(truncatingIfNeeded: imaginary), toByteOffset: 2, as: Int16.self)
    case .complexInt32:
      p.storeBytes(of: Int32(truncatingIfNeeded: integer), as: Int32.self)
      p.storeBytes(of: Int32(truncatingIfNeeded: imaginary), toByteOffset: 4, as: Int32.self)
    case .complexFloat32:
      p.storeBytes(of: Float(parts.real), as: Float.self)
      p.storeBytes(of: Float(parts.imaginary), toByteOffset: 4, as: Float.self)
    case .complexFloat64:
      p.storeBytes(of: parts.real, as: Double.self)
      p.storeBytes(of: parts.imaginary, toByteOffset: 8, as: Double.self)
    }
  }

  private var integer: Int64 {
    switch self {
    case .signed(let value): value
    case .unsigned(let value): Int64(bitPattern: value)
    case .complexInteger(let value, _): value
    default: 0
    }
  }

  private var imaginary: Int64 {
    if case .complexInteger(_, let value) = self { value } else { 0 }
  }

  private var parts: (real: Double, imaginary: Double) {
    switch self {
    case .complexInteger(let a, let b): (Double(a), Double(b))
    case .complexFloat32(let a, let b): (Double(a), Double(b))
    case .complexFloat64(let a, let b): (a, b)
    default: (real ?? 0, 0)
    }
  }
}

extension CellValue: CustomStringConvertible {
  /// The value as text: floats in their shortest round-trip form, complex values as `1.5+2i`.
  public var description: String {
    switch self {
    case .signed(let value): value.description
    case .unsigned(let value): value.description
    case .float32(let value): value.description
    case .float64(let value): value.description
    case .complexInteger(let a, let b): Self.complex(a.description, b.description)
    case .complexFloat32(let a, let b): Self.complex(Self.short(a), Self.short(b))
    case .complexFloat64(let a, let b): Self.complex(Self.short(a), Self.short(b))
    }
  }

  private static func complex(_ real: String, _ imaginary: String) -> String {
    real + (imaginary.hasPrefix("-") ? "" : "+") + imaginary + "i"
  }

  private static func short(_ value: some CustomStringConvertible) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

extension Band {
  /// Writes the band's nodata value in its pixel type; leaves the bytes unchanged if the band has
  /// no nodata value or the pixel type cannot represent it.
  public func storeNoData(at p: UnsafeMutableRawPointer) {
    guard case .noData(let noData) = validity else { return }
    let value: CellValue
    switch noData {
    case .integer(let number): value = .signed(number)
    case .unsigned(let number): value = .unsigned(number)
    case .real(let number):
      if pixelType.isFloatingPoint {
        value = .float64(number)
      } else if let whole = Int64(exactly: number.rounded(.towardZero)) {
        value = .signed(whole)
      } else {
        return
      }
    }
    value.store(as: pixelType, at: p)
  }
}
