import PlumbCore
import PlumbGDAL

/// The encoding of an index from -0.2 to 1: index = stored * step + start, NaN as `nodata`.
struct Encoding<Value: BitwiseCopyable & Sendable>: Sendable {
  let step: Float
  let start: Float
  let nodata: Value
  let nodataForm: RasterWriter.Nodata
  private let store: @Sendable (Float) -> Value

  /// The stored value; an index out of range is clamped.
  @inline(__always)
  func encode(_ index: Float) -> Value { index.isNaN ? nodata : store(index) }
}

extension Encoding where Value: FixedWidthInteger {
  init(_ step: Float, from start: Float = 0, nodata: Value) {
    self.step = step
    self.start = start
    self.nodata = nodata
    if let value = UInt64(exactly: nodata), value > Int64.max {
      nodataForm = .uint64(value)
    } else if Value.bitWidth == 64 {
      nodataForm = .int64(Int64(nodata))
    } else {
      nodataForm = .double(Double(nodata))
    }
    store = { Value(truncatingIfNeeded: Int32(((min(1, max(-0.2, $0)) - start) / step).rounded())) }
  }
}

extension Encoding where Value: BinaryFloatingPoint {
  init() {
    (step, start, nodata, nodataForm) = (1, 0, .nan, .double(.nan))
    store = { Value(min(1, max(-0.2, $0))) }
  }
}
