import CLoader
import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs the body of an interface function, and stores its error for the calling thread.
///
/// - Returns: the return value of the function.
func entry(_ body: () throws -> Void) -> CInt {
  let report = ThreadReport.current
  if plumb_process_is_copy() != 0 { return report.failForked() }
  report.clear()
  do {
    try body()
    return PLUMB_OK
  } catch {
    return report.fail(error)
  }
}

/// Runs the body of a function that returns a handle.
func opening(
  _ handle: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws -> OpaquePointer
) -> CInt {
  handle?.pointee = nil
  return entry {
    guard let handle else { throw CallError.null("handle") }
    handle.pointee = try body()
  }
}

/// Runs the body of a function that returns text.
func texting(
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> String
) -> CInt {
  text?.pointee = nil
  return entry {
    guard let text else { throw CallError.null("the pointer to the text") }
    text.pointee = try CText.copy(of: body())
  }
}

/// Runs the body of a function that returns a table.
func tabling(
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?,
  _ body: () throws -> ArrowTable
) -> CInt {
  clear(schema, array)
  return entry {
    guard let schema, let array else { throw CallError.null("the pointer to the table") }
    try body().export(to: schema, array)
  }
}

/// Marks the structures as released, without releasing their content.
func clear(
  _ schema: UnsafeMutablePointer<ArrowSchema>?, _ array: UnsafeMutablePointer<ArrowArray>?
) {
  schema?.pointee.release = nil
  array?.pointee.release = nil
}

/// Stores lines for `plumb_take_warnings`, followed by the warnings of GDAL.
func warn(_ lines: [MessageTemplate] = []) {
  let report = ThreadReport.current
  let all = lines.map(\.description) + GDALMessages.drain()
  if all.isEmpty { return }
  // Keeps at most 1,000 warnings.
  report.warnings += all.prefix(1000 - min(1000, report.warnings.count))
}
