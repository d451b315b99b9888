import CPlumb
import Plumb
import PlumbVerbs

/// Describes the content of a path.
@c @implementation
public func plumb_info(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<CChar>?, _ poll: plumb_poll?,
  _ context: UnsafeMutableRawPointer?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  texting(json) {
    var request = Info.Request()
    request.paths = [try CText.text(path, "the path")]
    try Info.options.read(options, into: &request)
    let copiedRequest = request
    let result = try Poll(poll, context).run(mayOutlive: true) { _ in
      try BodyRun { try Info.run(copiedRequest, in: $0) }
    }
    warn(result.warnings)
    return result.text
  }
}
