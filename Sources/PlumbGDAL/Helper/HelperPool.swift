import PlumbCore
import PlumbSandbox
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A helper process, with the sources that are open in it.
final class HelperMember: Sendable {
  let scope: HelperScope
  let process: HelperProcess
  /// The numbers of the open sources, with the most recently used at the end.
  private let sources = Mutex<[Int]>([])
  private static let sourceLimit = 16

  fileprivate init(_ scope: HelperScope) throws(HelperFailure) {
    let program: (path: String, arguments: [String])
    do throws(PlumbError) {
      program = try HelperProgram.find()
    } catch {
      throw .missing(error.message)
    }
    self.scope = scope
    process = try HelperProcess(
      program: program.path, arguments: program.arguments, memorySize: HelperRequest.memorySize)
    var request = HelperRequest.setUp.packer(seconds: Self.startSeconds)
    request.put(HelperRequest.version)
    request.put(scope)
    let reply = try process.call(request.bytes, seconds: Self.startSeconds)
    let outcome = Result { () throws(GDALError) in try HelperReply(reply).outcome.get() }
    if case .failure(let fault) = outcome { throw .missing(fault.message) }
  }

  private static let startSeconds = 30.0

  func has(_ source: Int) -> Bool { sources.withLock { $0.contains(source) } }

  /// Records that a source is open.
  ///
  /// - Returns: the sources to close because too many are open.
  func add(_ source: Int) -> [Int] {
    sources.withLock { sources in
      sources.removeAll { $0 == source }
      sources.append(source)
      let surplus = Array(sources.dropLast(Self.sourceLimit))
      sources.removeFirst(surplus.count)
      return surplus
    }
  }

  func remove(_ source: Int) { sources.withLock { $0.removeAll { $0 == source } } }
}

/// The pool of helper processes. Each process is used by one thread at a time.
enum HelperPool {
  private struct State: Sendable {
    /// The idle helpers, with the most recently used at the end.
    var idle: [HelperMember] = []
    var count = 0
    var owner = getpid()
  }

  private static let state = WaitableState(State())
  /// The maximum number of processes at the same time.
  private static let limit = 32
  /// The maximum number of idle processes.
  private static let idleLimit = max(4, Workers().count)
  /// The number of seconds to wait for a free process.
  private static let timeout = 60.0

  /// Reserves a helper for the calling thread. `release` returns the helper to the pool.
  ///
  /// - Parameter source: a helper that has this source open is preferred.
  static func reserve(_ scope: HelperScope, source: Int?) throws(HelperFailure) -> HelperMember {
    var waits = 0
    while true {
      let found = state.wait(seconds: 0.1) { find(&$0, scope, source) }
      switch found {
      case .member(let member)?:
        if !member.process.isEnded { return member }
        end(member)
      case .capacity?:
        do throws(HelperFailure) {
          return try HelperMember(scope)
        } catch {
          state.change { $0.count -= 1 }
          throw error
        }
      case nil:
        waits += 1
        if WorkCancellation.isCurrentCancelled { throw .cancelled }
        if Double(waits) * 0.1 > timeout {
          throw .missing("\(limit) helper processes are busy; try again later")
        }
      }
    }
  }

  private enum Found: Sendable {
    case member(HelperMember)
    case capacity
  }

  private static func find(
    _ state: inout State, _ scope: HelperScope, _ source: Int?
  ) -> Found? {
    if state.owner != getpid() { state = State() }
    let matching = state.idle.indices.filter { state.idle[$0].scope == scope }
    let known = source.flatMap { source in matching.last { state.idle[$0].has(source) } }
    if let index = known ?? matching.last { return .member(state.idle.remove(at: index)) }
    if state.count >= limit, !state.idle.isEmpty {
      state.idle.removeFirst().process.end()
      state.count -= 1
    }
    guard state.count < limit else { return nil }
    state.count += 1
    return .capacity
  }

  static func release(_ member: HelperMember) {
    guard !member.process.isEnded else { return end(member) }
    let surplus = state.change { state -> HelperMember? in
      guard state.owner == getpid() else { return nil }
      state.idle.append(member)
      guard state.idle.count > idleLimit else { return nil }
      state.count -= 1
      return state.idle.removeFirst()
    }
    surplus?.process.end()
  }

  private static func end(_ member: HelperMember) {
    member.process.end()
    state.change { if $0.owner == getpid() { $0.count -= 1 } }
  }

  /// Returns an idle helper in which a source is open; nil if there is none.
  static func reserveIdle(having source: Int) -> HelperMember? {
    state.withLock { state in
      guard state.owner == getpid(),
        let index = state.idle.lastIndex(where: { $0.has(source) })
      else { return nil }
      return state.idle.remove(at: index)
    }
  }
}
