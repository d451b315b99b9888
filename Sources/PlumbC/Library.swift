import CPlumb
import Plumb
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// The functions are documented in the header. The compiler checks the functions against the header.

/// The version of the library.
@c @implementation
public func plumb_version() -> UnsafePointer<CChar>? { constant(plumbVersion) }

/// The version of the interface that the header declares.
@c @implementation
public func plumb_interface() -> CInt { PLUMB_INTERFACE }

/// The error code of the thread's last call.
@c @implementation
public func plumb_error_code() -> UnsafePointer<CChar>? { ThreadReport.current.codePointer }

/// The error message of the thread's last call.
@c @implementation
public func plumb_error_message() -> UnsafePointer<CChar>? {
  ThreadReport.current.messagePointer
}

/// The warnings of the thread's last call.
@c @implementation
public func plumb_take_warnings(
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  let warnings = ThreadReport.current.warnings
  return texting(json) {
    var text = Array("[".utf8)
    for (index, line) in warnings.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      JSONText.append(line, to: &text)
    }
    return String(decoding: text + Array("]".utf8), as: UTF8.self)
  }
}

/// Frees a string.
@c @implementation
public func plumb_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

/// The name of a status.
@c @implementation
public func plumb_status_name(_ status: UInt8) -> UnsafePointer<CChar>? {
  switch SampleStatus(rawValue: status) {
  case .ok: constant("ok")
  case .nodata: constant("nodata")
  case .masked: constant("masked")
  case .outside: constant("outside")
  case .transformFailed: constant("transform_failed")
  case .readError: constant("read_error")
  case .badPoint: constant("bad_point")
  case .badTime: constant("bad_time")
  case .noValid: constant("no_valid")
  case nil: constant("")
  }
}

private func constant(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
