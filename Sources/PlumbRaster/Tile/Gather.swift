import PlumbCore

/// Distinguishes values from nodata. The gather loops are generic over this protocol, so that each
/// pixel type and validity rule compiles to a separate loop.
protocol ValidityTest {
  associatedtype Value: CellNumber
  func isValid(_ value: Value) -> Bool
  func isNaN(_ value: Value) -> Bool
  /// The values that are not valid, in addition to NaN; nil for complex types, and if a double cannot represent
  /// the nodata value.
  var invalidRange: NoDataRange<Double>? { get }
}

extension ValidityTest {
  @inline(__always) func isNaN(_ value: Value) -> Bool { false }
  var invalidRange: NoDataRange<Double>? { nil }
}

/// A stored value that can be converted to a number for calculations.
protocol CellNumber: BitwiseCopyable {
  /// The value as a double; for a complex value, its real part.
  var number: Double { get }
  /// The least value of an integer type with at most 16 bits; nil for other types.
  static var leastCounted: Int? { get }
  /// The value minus `leastCounted`; 0 for types without one.
  var countIndex: UInt16 { get }
}

extension CellNumber {
  @inline(__always) static var leastCounted: Int? { nil }
  @inline(__always) var countIndex: UInt16 { 0 }
}

extension CellNumber where Self: FixedWidthInteger {
  @inline(__always) static var leastCounted: Int? { bitWidth <= 16 ? Int(Self.min) : nil }
  @inline(__always) var countIndex: UInt16 {
    Self.bitWidth <= 16
      ? UInt16(
        truncatingIfNeeded: Int(truncatingIfNeeded: self) &- Int(truncatingIfNeeded: Self.min))
      : 0
  }
}

extension UInt8: CellNumber { var number: Double { Double(self) } }
extension Int8: CellNumber { var number: Double { Double(self) } }
extension UInt16: CellNumber { var number: Double { Double(self) } }
extension Int16: CellNumber { var number: Double { Double(self) } }
extension UInt32: CellNumber { var number: Double { Double(self) } }
extension Int32: CellNumber { var number: Double { Double(self) } }
extension UInt64: CellNumber { var number: Double { Double(self) } }
extension Int64: CellNumber { var number: Double { Double(self) } }
extension Float: CellNumber { var number: Double { Double(self) } }
extension Double: CellNumber { var number: Double { self } }

struct AlwaysValid<Value: CellNumber>: ValidityTest {
  @inline(__always) func isValid(_ value: Value) -> Bool { true }
  var invalidRange: NoDataRange<Double>? { .empty }
}

struct Differs<Value: FixedWidthInteger & CellNumber>: ValidityTest {
  let noData: Value
  @inline(__always) func isValid(_ value: Value) -> Bool { value != noData }

  var invalidRange: NoDataRange<Double>? {
    Double(exactly: noData).map { NoDataRange(low: $0, high: $0) }
  }
}

/// Accepts floats that are neither NaN nor nodata.
struct RealDiffers<Value: BinaryFloatingPoint & CellNumber & Sendable>: ValidityTest {
  let noData: NoDataRange<Value>

  @inline(__always) func isValid(_ value: Value) -> Bool {
    // Both comparisons are false for NaN.
    value < noData.low || value > noData.high
  }

  @inline(__always) func isNaN(_ value: Value) -> Bool { value != value }

  var invalidRange: NoDataRange<Double>? {
    NoDataRange(low: Double(noData.low), high: Double(noData.high))
  }
}

/// Compares the real part of a complex value with nodata, as GDAL does. If either part is NaN, the
/// value is nodata.
struct ComplexValidity<Real: ValidityTest, Imaginary: ValidityTest>: ValidityTest
where Real.Value == Imaginary.Value {
  let real: Real
  let imaginary: Imaginary

  @inline(__always) func isValid(_ value: Pair<Real.Value>) -> Bool {
    real.isValid(value.real) && imaginary.isValid(value.imaginary)
  }
}

struct Pair<Part: CellNumber>: CellNumber {
  var real: Part
  var imaginary: Part

  var number: Double { real.number }
}

/// The memory of one band in a tile, from which a gather reads.
struct GatherSource {
  /// The address of the band's value in the tile's first cell.
  var base: UnsafeRawPointer
  /// The number of bytes between consecutive cells.
  var stride: Int
  /// Whether the cells are consecutive in entry order instead of at their offsets.
  var isPacked: Bool
}

/// Work that is compiled once for each pixel type and validity rule.
protocol ValidityVisitor {
  func visit(_ test: some ValidityTest)
}

/// Copies the cells of `entries` from a tile into a column, and sets the status of each entry's
/// point to `ok` or `nodata`.
struct EntryGather: ValidityVisitor {
  let source: GatherSource
  let entries: UnsafeBufferPointer<PlanEntry>
  /// The memory of the column's values.
  let values: UnsafeMutableRawPointer
  /// The memory of the column's statuses.
  let status: UnsafeMutablePointer<UInt8>

  func visit<Test: ValidityTest>(_ test: Test) {
    let values = values.assumingMemoryBound(to: Test.Value.self)
    let (ok, noData) = (SampleStatus.ok.rawValue, SampleStatus.nodata.rawValue)
    let (base, stride) = (source.base, source.stride)
    guard let first = entries.baseAddress else { return }
    for position in 0..<entries.count {
      let entry = first[position]
      let cell = source.isPacked ? position : Int(entry.offset)
      let value = base.load(fromByteOffset: cell &* stride, as: Test.Value.self)
      values[Int(entry.index)] = value
      status[Int(entry.index)] = test.isValid(value) ? ok : noData
    }
  }
}

/// Copies one value from each address into consecutive rows. Used if all tiles are in memory.
struct AddressGather: ValidityVisitor {
  let addresses: UnsafePointer<UnsafeRawPointer>
  let byteOffset: Int
  let count: Int
  /// The row of the first value.
  let first: Int
  let column: ValueColumn

  func visit<Test: ValidityTest>(_ test: Test) {
    let values = column.bytes.assumingMemoryBound(to: Test.Value.self) + first
    let status = column.status.base + first
    let (ok, noData) = (SampleStatus.ok.rawValue, SampleStatus.nodata.rawValue)
    for i in 0..<count {
      let value = addresses[i].load(fromByteOffset: byteOffset, as: Test.Value.self)
      values[i] = value
      status[i] = test.isValid(value) ? ok : noData
    }
  }
}

/// The pixel type and the validity rule of a band. The names and tables of the band are omitted, so that
/// copies are cheap.
struct BandRule {
  let pixelType: PixelType
  let validity: Validity
  let noDataRange: NoDataRange<Double>
}

extension Band {
  /// The type and the rule of validity of the band.
  @inline(__always)
  var rule: BandRule {
    BandRule(pixelType: pixelType, validity: validity, noDataRange: noDataRange)
  }

  /// Calls the visitor with the test for this band's pixel type and nodata value.
  func visitValidity(_ visitor: some ValidityVisitor) { rule.visitValidity(visitor) }
}

extension BandRule {
  /// Calls the visitor with the test for this pixel type and nodata value.
  func visitValidity(_ visitor: some ValidityVisitor) {
    switch pixelType {
    case .uint8: visitInteger(UInt8.self, visitor)
    case .int8: visitInteger(Int8.self, visitor)
    case .uint16: visitInteger(UInt16.self, visitor)
    case .int16: visitInteger(Int16.self, visitor)
    case .uint32: visitInteger(UInt32.self, visitor)
    case .int32: visitInteger(Int32.self, visitor)
    case .uint64: visitInteger(UInt64.self, visitor)
    case .int64: visitInteger(Int64.self, visitor)
    case .float32: visitor.visit(RealDiffers(noData: NoDataRange<Float>(noDataRange)))
    case .float64: visitor.visit(RealDiffers(noData: noDataRange))
    case .complexInt16: visitComplexInteger(Int16.self, visitor)
    case .complexInt32: visitComplexInteger(Int32.self, visitor)
    case .complexFloat32:
      visitor.visit(
        ComplexValidity(
          real: RealDiffers(noData: NoDataRange<Float>(noDataRange)),
          imaginary: RealDiffers(noData: NoDataRange<Float>.empty)))
    case .complexFloat64:
      visitor.visit(
        ComplexValidity(
          real: RealDiffers(noData: noDataRange),
          imaginary: RealDiffers(noData: NoDataRange<Double>.empty)))
    }
  }

  private func visitInteger<Value: FixedWidthInteger & CellNumber>(
    _ type: Value.Type, _ visitor: some ValidityVisitor
  ) {
    if let noData = integerNoData(as: type) {
      visitor.visit(Differs(noData: noData))
    } else {
      visitor.visit(AlwaysValid<Value>())
    }
  }

  private func visitComplexInteger<Part: FixedWidthInteger & CellNumber>(
    _ type: Part.Type, _ visitor: some ValidityVisitor
  ) {
    if let noData = integerNoData(as: type) {
      visitor.visit(
        ComplexValidity(real: Differs(noData: noData), imaginary: AlwaysValid<Part>()))
    } else {
      visitor.visit(AlwaysValid<Pair<Part>>())
    }
  }

  /// The nodata value in an integer type; nil if the band has none, or if the type cannot represent
  /// it.
  private func integerNoData<Value: FixedWidthInteger>(as type: Value.Type) -> Value? {
    guard case .noData(let noData) = validity else { return nil }
    switch noData {
    case .integer(let value): return Value(exactly: value)
    case .unsigned(let value): return Value(exactly: value)
    case .real(let value):
      // A fraction is truncated, as in GDAL.
      return value.isFinite ? Value(exactly: value.rounded(.towardZero)) : nil
    }
  }
}

/// Sets the status of each `ok` point to `reason` if its cell in a mask or alpha tile is 0.
func applyMask(
  _ source: GatherSource, byteCount: Int, entries: UnsafeBufferPointer<PlanEntry>,
  reason: SampleStatus, to column: ValueColumn
) {
  let ok = SampleStatus.ok.rawValue
  for (position, entry) in entries.enumerated() {
    let cell = source.isPacked ? position : Int(entry.offset)
    let address = source.base + cell &* source.stride
    var isZero = true
    for byte in 0..<byteCount where address.load(fromByteOffset: byte, as: UInt8.self) != 0 {
      isZero = false
    }
    if isZero, column.status.base[Int(entry.index)] == ok {
      column.status.base[Int(entry.index)] = reason.rawValue
    }
  }
}
