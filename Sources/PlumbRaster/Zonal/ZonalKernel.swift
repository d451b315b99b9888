import CKernels
import PlumbCore

/// Adds the cells of an area in one tile to sums. There is one function for each pixel type.
typealias ZonalKernel =
  @convention(c) (UnsafePointer<plumb_zonal_tile>?, UnsafeMutablePointer<plumb_zonal_sums>?) -> Void

extension PixelType {
  /// The function for the values of this type; nil for complex types, and for integers that a double cannot
  /// represent.
  var zonalKernel: ZonalKernel? {
    switch self {
    case .uint8: plumb_zonal_add_uint8
    case .int8: plumb_zonal_add_int8
    case .uint16: plumb_zonal_add_uint16
    case .int16: plumb_zonal_add_int16
    case .uint32: plumb_zonal_add_uint32
    case .int32: plumb_zonal_add_int32
    case .float32: plumb_zonal_add_float32
    case .float64: plumb_zonal_add_float64
    case .int64, .uint64, .complexInt16, .complexInt32, .complexFloat32, .complexFloat64: nil
    }
  }
}

extension UnsafeBufferPointer<CoverageStore.Run> {
  /// The runs as the C type that the kernels read, which has the same layout.
  var kernelRuns: UnsafePointer<plumb_zonal_run>? {
    UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: plumb_zonal_run.self)
  }
}

extension UnsafeBufferPointer<CoverageStore.Cell> {
  /// The cells as the C type that the kernels read, which has the same layout.
  var kernelCells: UnsafePointer<plumb_zonal_cell>? {
    UnsafeRawPointer(baseAddress)?.assumingMemoryBound(to: plumb_zonal_cell.self)
  }
}
