import CGDAL
import PlumbCore
import PlumbIO
import PlumbSandbox
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A source that helper processes read. Each helper process that receives a request opens the
/// source again.
final class HelperSource: Sendable {
  let path: String
  let scope: HelperScope
  /// The processor time in seconds that one request may take. It is longer for a larger file,
  /// because some drivers read the whole file.
  let seconds: Double
  private let number: Int
  private let opening: [UInt8]
  /// The error that all requests throw for a few seconds after a crash. Without this error, a file
  /// that crashes the helper at every tile would end one process per tile.
  private let fault = Mutex<(error: GDALError, end: ContinuousClock.Instant)?>(nil)

  private static let count = Atomic<Int>(0)
  private static let faultSeconds = 10.0

  /// - Parameters:
  ///   - request: the kind of request that opens the source.
  ///   - parts: a function that appends the parameters of the request that follow the number, path
  ///     and access.
  init(
    _ path: String, _ access: GDALAccess, _ request: HelperRequest, _ parts: (inout Packer) -> Void
  ) {
    self.path = path
    scope = Self.scope(access)
    seconds = Self.seconds(path)
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    var packer = request.packer(seconds: seconds)
    packer.put(number)
    packer.put(path)
    packer.put(access)
    parts(&packer)
    opening = packer.bytes
  }

  deinit {
    guard let member = HelperPool.reserveIdle(having: number) else { return }
    close([number], in: member)
    HelperPool.release(member)
  }

  // MARK: Requests

  /// Opens the source in a helper and returns the reply.
  func open() throws(GDALError) -> Unpacker {
    try lend { member throws(GDALError) in try open(in: member) }
  }

  /// Sends a request for the source to a helper.
  func send(
    _ request: HelperRequest, _ parts: (inout Packer) -> Void = { _ in }
  ) throws(GDALError) -> Unpacker {
    try send(request, parts) { reply, _ in reply }
  }

  /// Sends a request and calls `body` with the reply. While `body` runs, only this thread uses the
  /// shared memory.
  func send<Value>(
    _ request: HelperRequest, _ parts: (inout Packer) -> Void,
    _ body: (Unpacker, HelperProcess) throws(GDALError) -> Value
  ) throws(GDALError) -> Value {
    try lend { member throws(GDALError) in
      try body(try send(request, parts, of: member), member.process)
    }
  }

  /// Sends a request to a helper that the caller has reserved.
  func send(
    _ request: HelperRequest, _ parts: (inout Packer) -> Void, of member: HelperMember
  ) throws(GDALError) -> Unpacker {
    try checkCancellation()
    if !member.has(number) { _ = try open(in: member) }
    var packer = request.packer(seconds: seconds)
    packer.put(number)
    parts(&packer)
    return try reply(packer.bytes, member)
  }

  private func open(in member: HelperMember) throws(GDALError) -> Unpacker {
    let reply = try reply(opening, member)
    let surplus = member.add(number)
    if !surplus.isEmpty { close(surplus, in: member) }
    return reply
  }

  private func close(_ numbers: [Int], in member: HelperMember) {
    var packer = HelperRequest.close.packer(seconds: seconds)
    packer.put(numbers)
    for number in numbers { member.remove(number) }
    _ = try? member.process.call(packer.bytes, seconds: seconds)
  }

  private func lend<Value>(
    _ body: (HelperMember) throws(GDALError) -> Value
  ) throws(GDALError) -> Value {
    try checkCancellation()
    do throws(GDALError) {
      let member = try reserve()
      defer { HelperPool.release(member) }
      return try body(member)
    } catch {
      guard error.isHelperKill else { throw error }
    }
    // Retry once. Another process terminated the helper, so the file is not the cause.
    let member = try reserve()
    defer { HelperPool.release(member) }
    return try body(member)
  }

  /// Throws if the work was cancelled. A helper that replies immediately would not detect the
  /// cancellation.
  private func checkCancellation() throws(GDALError) {
    if WorkCancellation.isCurrentCancelled { throw Self.fault(.cancelled, path).error }
  }

  /// Reserves a helper for the exclusive use of the caller. The caller must release it to the pool.
  func reserve() throws(GDALError) -> HelperMember {
    if let fault = fault.withLock({ $0 }), fault.end > .now { throw fault.error }
    return try Self.reserve(scope, number, path)
  }

  private func reply(
    _ request: [UInt8], _ member: HelperMember
  ) throws(GDALError) -> Unpacker {
    let bytes: [UInt8]
    do throws(HelperFailure) {
      bytes = try member.process.call(request, seconds: Self.timeoutFactor * seconds)
    } catch {
      let (fault, isFaultOfSource) = Self.fault(error, path)
      if isFaultOfSource {
        self.fault.withLock { $0 = (fault, .now + .seconds(Self.faultSeconds)) }
      }
      throw fault
    }
    return try Self.reply(bytes, member)
  }

  // MARK: Without an open source

  /// Sends a request for a path to a helper.
  static func send(
    _ request: HelperRequest, _ path: String, _ access: GDALAccess,
    _ parts: (inout Packer) -> Void = { _ in }
  ) throws(GDALError) -> Unpacker {
    let seconds = seconds(path)
    var packer = request.packer(seconds: seconds)
    packer.put(path)
    packer.put(access)
    parts(&packer)
    let member = try reserve(scope(access), nil, path)
    defer { HelperPool.release(member) }
    let bytes: [UInt8]
    do throws(HelperFailure) {
      bytes = try member.process.call(packer.bytes, seconds: timeoutFactor * seconds)
    } catch {
      throw fault(error, path).error
    }
    return try reply(bytes, member)
  }

  private static func reserve(
    _ scope: HelperScope, _ number: Int?, _ path: String
  ) throws(GDALError) -> HelperMember {
    do throws(HelperFailure) {
      return try HelperPool.reserve(scope, source: number)
    } catch {
      throw fault(error, path).error
    }
  }

  private static func reply(
    _ bytes: [UInt8], _ member: HelperMember
  ) throws(GDALError) -> Unpacker {
    let reply: HelperReply
    do throws(GDALError) {
      reply = try HelperReply(bytes)
    } catch {
      member.process.end()
      throw error
    }
    for line in reply.warnings { GDALLibrary.warn(line.printable) }
    return try reply.outcome.get()
  }

  private static func scope(_ access: GDALAccess) -> HelperScope {
    let names = ["SHAPE_ENCODING", "DXF_ENCODING"]
    return HelperScope(
      access,
      settings: names.compactMap { name in
        CPLGetConfigOption(name, nil).map { name + "=" + String(cString: $0) }
      })
  }

  private static func seconds(_ path: String) -> Double {
    HelperLimits.current.seconds + Double(size(of: path)) / bytesPerSecond
  }

  /// The size of a file, or of the files in a folder, in bytes; 0 for other names.
  static func size(of path: String) -> Int {
    let files =
      FileKind(path: path) == .folder ? folderEntries(path).map { path + "/" + $0 } : [path]
    return files.reduce(0) { sum, file in
      var facts = stat()
      return stat(file, &facts) == 0 ? sum + Int(facts.st_size) : sum
    }
  }

  /// The speed of the slowest driver in bytes per second.
  private static let bytesPerSecond = 4e6
  /// The allowed ratio of wall-clock time to processor time. It is above 1 because other processes
  /// also use the processor.
  private static let timeoutFactor = 2.0

  /// Returns the error to report, and whether the source is the cause.
  private static func fault(
    _ failure: HelperFailure, _ path: String
  ) -> (error: GDALError, isFaultOfSource: Bool) {
    let path = path.printable
    var (error, isFaultOfSource) = (GDALError("\(path): the work was cancelled"), false)
    switch failure {
    case .cancelled: break
    case .missing(let reason): error = GDALError("\(path): \(reason)", code: .missingLibrary)
    case .late(let seconds):
      error = GDALError(
        "\(path): GDAL took more than the limit of \(Int(seconds.rounded(.up))) s for it "
          + "in a helper process (PLUMB_READER_SECONDS)", code: .limit)
      isFaultOfSource = true
    case .killed:
      error = GDALError("\(path): the helper process that read it was terminated")
      error.isHelperKill = true
    case .ended(let reason):
      let line =
        reason.isEmpty ? "GDAL crashed; the file is damaged or has another format" : reason
      error = GDALError(line.contains(path) ? line : "\(path): \(line)")
      isFaultOfSource = true
    }
    error.isHelperFault = true
    return (error, isFaultOfSource)
  }
}
