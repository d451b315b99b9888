import CPlumb
import Foundation
import Plumb
import PlumbC
import PlumbService
import PlumbTestSupport

/// The result of a request through a front end.
struct ParityAnswer: Sendable {
  /// The body; nil for an error.
  var body: String?
  /// The message of an error.
  var message = ""
  /// Without the names of options, which differ between front ends.
  var warnings: Set<String> = []

  /// The start of warnings about files of other tests.
  static let otherFiles = plain(FileManager.default.temporaryDirectory.path + "/plumb-")

  /// A line without the names of options.
  static func plain(_ line: String) -> String {
    line.replacing(/--[a-z-]+/, with: "").replacing(/[_\- ]+/, with: " ")
  }
}

/// `plumb`.
struct CommandFrontEnd: Sendable {
  let folder: String

  func answer(_ request: ParityRequest) throws -> ParityAnswer {
    let rasters = TestPaths.rasters
    let start: [String] =
      switch request.verb {
      case .trace: ["trace", rasters + "/gas.json"]
      case .identify: ["identify", rasters + "/cape.json", "--of", "json"]
      case .sample: ["identify", rasters + "/cape.json", "--points", folder + "/points.csv"]
      case .buffer: ["buffer", "--of", "geojson"]
      }
    let run = try ProgramRun(TestPaths.program("plumb"), start + request.arguments)
    // An isolation that leaves a source connected has a result and status 2.
    let isAnswer = run.status == 0 || run.status == 2
    let lines = run.errors.split(separator: "\n").map(String.init)
    let warning = "plumb: warning: "
    return ParityAnswer(
      body: isAnswer ? run.output : nil,
      message: lines.last?.replacing("plumb: ", with: "") ?? "",
      warnings: Set(
        lines.filter { $0.hasPrefix(warning) }.map {
          ParityAnswer.plain(String($0.dropFirst(warning.count)))
        }))
  }
}

/// `POST /api/…`.
struct ServiceFrontEnd: Sendable {
  let service: Service
  let points: String

  func answer(_ request: ParityRequest) throws -> ParityAnswer {
    var asked: ServiceRequest
    if request.verb == .sample {
      let query = request.options.map { stem, value in
        switch value {
        case .flag: "\(stem)=true"
        case .text(let text), .number(let text), .file(let text, _): "\(stem)=\(text)"
        case .list(let list): "\(stem)=\(list.joined(separator: ","))"
        }
      }
      asked = ServiceRequest(
        .post, "/api/sample", query: query.joined(separator: "&"), contentType: "text/csv",
        body: Array(points.utf8))
    } else {
      let at = "\"at\":[\(request.points.map { "[\($0)]" }.joined(separator: ","))]"
      let members = [request.points.isEmpty ? "" : at, request.members(separator: "-")]
      asked = ServiceRequest(
        .post, "/api/" + request.verb.rawValue, contentType: "application/json",
        body: Array("{\(members.filter { !$0.isEmpty }.joined(separator: ","))}".utf8))
    }
    let reply = service.answer(asked)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    guard reply.status == 200 else {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let error = object?["error"] as? [String: Any]
      return ParityAnswer(message: error?["message"] as? String ?? text)
    }
    return ParityAnswer(body: text, warnings: Set(reply.warnings.map(ParityAnswer.plain)))
  }
}

/// The C interface, for traces and points on maps.
///
/// Used by one thread at a time: errors and warnings are per thread.
struct CFrontEnd {
  private let map: OpaquePointer
  private let network: OpaquePointer

  init() throws {
    var (map, network): (OpaquePointer?, OpaquePointer?)
    guard
      CPlumb.plumb_map_open(TestPaths.rasters + "/cape.json", nil, nil, nil, &map) == PLUMB_OK,
      CPlumb.plumb_network_open(TestPaths.rasters + "/gas.json", nil, nil, nil, &network)
        == PLUMB_OK, let map, let network
    else { throw PlumbError(String(cString: CPlumb.plumb_error_message())) }
    (self.map, self.network) = (map, network)
    _ = Self.takeWarnings()
  }

  func close() {
    _ = CPlumb.plumb_map_close(map)
    _ = CPlumb.plumb_network_close(network)
  }

  private static func takeWarnings() -> Set<String> {
    var text: UnsafeMutablePointer<CChar>?
    guard CPlumb.plumb_take_warnings(&text) == PLUMB_OK, let text else { return [] }
    defer { CPlumb.plumb_free(text) }
    let list = try? JSONSerialization.jsonObject(with: Data(String(cString: text).utf8))
    return Set((list as? [String] ?? []).map(ParityAnswer.plain))
  }

  func answer(_ request: ParityRequest) -> ParityAnswer {
    var answer = ParityAnswer(body: "")
    func take(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt) {
      var text: UnsafeMutablePointer<CChar>?
      if call(&text) == PLUMB_OK, let text {
        answer.body?.append(String(cString: text) + "\n")
        CPlumb.plumb_free(text)
      } else {
        answer.body = nil
        answer.message = String(cString: CPlumb.plumb_error_message())
      }
      answer.warnings.formUnion(Self.takeWarnings())
    }
    var request = request
    if request.verb == .trace {
      let options = "{\(request.members(separator: "_"))}"
      take { CPlumb.plumb_network_trace(network, options, nil, nil, $0, nil) }
      return answer
    }
    var crs: String?
    if let place = request.options.firstIndex(where: { $0.stem == "crs" }) {
      if case .text(let text) = request.options.remove(at: place).value { crs = text }
    }
    let options = "{\(request.members(separator: "_"))}"
    for point in request.points where answer.body != nil {
      let numbers = point.split(separator: ",").compactMap { Double($0) }
      take {
        CPlumb.plumb_map_identify(map, numbers[0], numbers[1], crs, options, nil, nil, $0)
      }
    }
    return answer
  }
}
