/// The kind of a field or element in Thrift's compact protocol. The kind of a boolean field also
/// specifies its value.
enum ThriftKind: UInt8 {
  case stop, yes, no, byte, int16, int32, int64, double, binary, list, set, map, structure, uuid

  var isInteger: Bool {
    switch self {
    case .byte, .int16, .int32, .int64: true
    default: false
    }
  }
}
