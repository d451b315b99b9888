import CPlumb
import Foundation
import Plumb
import PlumbC
import PlumbService
import PlumbTestSupport

/// The result of a request through a front end.
struct ParityResult: Sendable {
  /// The body; nil if the request failed.
  var body: String?
  /// The message of an error.
  var message = ""
  /// The message without option names, which differ between front ends.
  var warnings: Set<String> = []

  /// The start of warnings about files of other tests.
  private static let otherFiles = plain(FileManager.default.temporaryDirectory.path + "/plumb-")

  /// Whether a warning is about another test's file: it starts with the file, or, if GDAL parses damaged XML, with the
  /// number of a line.
  static func isOfAnotherTest(_ warning: String) -> Bool {
    warning.hasPrefix(otherFiles) || warning.prefixMatch(of: /Line [0-9]+:/) != nil
  }

  /// A line without the names of options.
  static func plain(_ line: String) -> String {
    line.replacing(/--[a-z-]+/, with: "").replacing(/[_\- ]+/, with: " ")
  }
}

/// `plumb`.
struct CommandFrontEnd: Sendable {
  let folder: String

  func perform(_ request: ParityRequest) throws -> ParityResult {
    let rasters = TestPaths.rasters
    let start: [String] =
      switch request.verb {
      case .trace: ["trace", rasters + "/gas.json"]
      case .identify: ["identify", rasters + "/cape.json", "--of", "json"]
      case .sample: ["identify", rasters + "/cape.json", "--points", folder + "/points.csv"]
      case .buffer: ["buffer", "--of", "geojson"]
      case .zonal: ["zonal", "--of", "geojson"]
      }
    return try Self.run(start + request.arguments)
  }

  static func run(_ arguments: [String]) throws -> ParityResult {
    let run = try ProgramRun(TestPaths.program("plumb"), arguments)
    // An isolation that leaves a source connected has a result and status 2.
    let hasResult = run.status == 0 || run.status == 2
    let lines = run.errors.split(separator: "\n").map(String.init)
    let warning = "plumb: warning: "
    return ParityResult(
      body: hasResult ? run.output : nil,
      message: lines.last?.replacing("plumb: ", with: "") ?? "",
      warnings: Set(
        lines.filter { $0.hasPrefix(warning) }.map {
          ParityResult.plain(String($0.dropFirst(warning.count)))
        }))
  }
}

/// `POST /api/…`.
struct ServiceFrontEnd: Sendable {
  let service: Service
  let points: String

  func perform(_ request: ParityRequest) throws -> ParityResult {
    if request.verb == .sample {
      let query = request.options.map { stem, value in
        switch value {
        case .flag: "\(stem)=true"
        case .text(let text), .number(let text), .file(let text, _): "\(stem)=\(text)"
        case .list(let list): "\(stem)=\(list.joined(separator: ","))"
        }
      }
      return try reply(
        ServiceRequest(
          .post, "/api/sample", query: query.joined(separator: "&"), contentType: "text/csv",
          body: Array(points.utf8)))
    }
    let at = "\"at\":[\(request.points.map { "[\($0)]" }.joined(separator: ","))]"
    return try post(
      request.verb, [request.points.isEmpty ? "" : at, request.members(separator: "-")])
  }

  /// - Parameter members: the members of the body; empty texts are omitted.
  func post(_ verb: ParityRequest.Verb, _ members: [String]) throws -> ParityResult {
    try reply(
      ServiceRequest(
        .post, "/api/" + verb.rawValue, contentType: "application/json",
        body: Array("{\(members.filter { !$0.isEmpty }.joined(separator: ","))}".utf8)))
  }

  private func reply(_ serviceRequest: ServiceRequest) throws -> ParityResult {
    let reply = service.reply(serviceRequest)
    let text = String(decoding: try reply.bytes(), as: UTF8.self)
    guard reply.status == 200 else {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let error = object?["error"] as? [String: Any]
      return ParityResult(message: error?["message"] as? String ?? text)
    }
    return ParityResult(body: text, warnings: Set(reply.warnings.map(ParityResult.plain)))
  }
}

/// The C interface, for traces and for points on maps.
///
/// The interface is used by one thread at a time, because errors and warnings are stored per
/// thread.
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
    _ = Self.drainWarnings()
  }

  func close() {
    _ = CPlumb.plumb_map_close(map)
    _ = CPlumb.plumb_network_close(network)
  }

  private static func drainWarnings() -> Set<String> {
    var text: UnsafeMutablePointer<CChar>?
    guard CPlumb.plumb_take_warnings(&text) == PLUMB_OK, let text else { return [] }
    defer { CPlumb.plumb_free(text) }
    let list = try? JSONSerialization.jsonObject(with: Data(String(cString: text).utf8))
    return Set((list as? [String] ?? []).map(ParityResult.plain))
  }

  func perform(_ request: ParityRequest) -> ParityResult {
    var result = ParityResult(body: "")
    func record(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt) {
      var text: UnsafeMutablePointer<CChar>?
      if call(&text) == PLUMB_OK, let text {
        result.body?.append(String(cString: text) + "\n")
        CPlumb.plumb_free(text)
      } else {
        result.body = nil
        result.message = String(cString: CPlumb.plumb_error_message())
      }
      result.warnings.formUnion(Self.drainWarnings())
    }
    var request = request
    if request.verb == .trace {
      let options = "{\(request.members(separator: "_"))}"
      record { CPlumb.plumb_network_trace(network, options, nil, nil, $0, nil) }
      return result
    }
    var crs: String?
    if let place = request.options.firstIndex(where: { $0.stem == "crs" }) {
      if case .text(let text) = request.options.remove(at: place).value { crs = text }
    }
    let options = "{\(request.members(separator: "_"))}"
    for point in request.points where result.body != nil {
      let numbers = point.split(separator: ",").compactMap { Double($0) }
      record {
        CPlumb.plumb_map_identify(map, numbers[0], numbers[1], crs, options, nil, nil, $0)
      }
    }
    return result
  }
}
