import PlumbCore

extension ValueColumn {
  /// Copies the valid values. Complex values are not copied, and the elements of other points are not changed.
  ///
  /// - Parameter target: the element of the first point.
  package func copyNumbers(to target: UnsafeMutablePointer<Float>) {
    switch pixelType {
    case .uint8: copy(UInt8.self, to: target)
    case .int8: copy(Int8.self, to: target)
    case .uint16: copy(UInt16.self, to: target)
    case .int16: copy(Int16.self, to: target)
    case .uint32: copy(UInt32.self, to: target)
    case .int32: copy(Int32.self, to: target)
    case .uint64: copy(UInt64.self, to: target)
    case .int64: copy(Int64.self, to: target)
    case .float32: copy(Float.self, to: target)
    case .float64: copy(Double.self, to: target)
    case .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: return
    }
  }

  private func copy<Value: CellNumber>(_: Value.Type, to target: UnsafeMutablePointer<Float>) {
    let values = bytes.assumingMemoryBound(to: Value.self)
    let (statuses, ok) = (status.base, SampleStatus.ok.rawValue)
    for index in 0..<count where statuses[index] == ok {
      target[index] = Float(values[index].number)
    }
  }
}
