/// Work that waits for a thread: clients take turns, each with some of its work at once.
struct WorkQueue {
  /// Nothing more comes.
  var isClosed = false
  /// Whether work waits until no other runs.
  var runsOneByOne = false
  /// The work that runs, the longest first.
  private(set) var runningJobs: [WorkJob] = []
  /// How much work waits.
  private(set) var count = 0
  private let limit: Int
  private let perClient: Int
  private var waiting: [String: [WorkJob]] = [:]
  private var running: [String: Int] = [:]
  /// Those whose work waits, who is next first.
  private var clients: [String] = []

  init(limit: Int, perClient: Int) { (self.limit, self.perClient) = (limit, perClient) }

  /// Whether there was room.
  mutating func add(_ job: WorkJob) -> Bool {
    let client = job.turn.client
    // No client has all of the room.
    guard count < limit, !isClosed, waiting[client]?.count ?? 0 < limit / 4 else { return false }
    if waiting[client] == nil { clients.append(client) }
    waiting[client, default: []].append(job)
    count += 1
    return true
  }

  /// The next job: nil for none as yet, and `.some(nil)` where none follows.
  mutating func next() -> WorkJob?? {
    guard !runsOneByOne || runningJobs.allSatisfy(\.isAbandoned) else { return nil }
    guard
      let position = clients.firstIndex(where: { running[$0, default: 0] < perClient }),
      var jobs = waiting[clients[position]], let first = jobs.first
    else { return isClosed && count == 0 ? .some(nil) : nil }
    let client = clients.remove(at: position)
    var index = 0
    // A view that has been moved wants no picture of where it was.
    if first.turn.isPicture { index = jobs.lastIndex { $0.turn.isPicture } ?? 0 }
    let job = jobs.remove(at: index)
    if jobs.isEmpty {
      waiting[client] = nil
    } else {
      waiting[client] = jobs
      clients.append(client)
    }
    running[client, default: 0] += 1
    runningJobs.append(job)
    count -= 1
    return .some(job)
  }

  /// A job that `next` gave is done.
  mutating func end(_ job: WorkJob) {
    runningJobs.removeAll { $0 === job }
    let left = running[job.turn.client, default: 1] - 1
    running[job.turn.client] = left == 0 ? nil : left
  }

  /// Whether a job waited, which it does no longer.
  mutating func remove(_ job: WorkJob) -> Bool {
    let client = job.turn.client
    guard let index = waiting[client]?.firstIndex(where: { $0 === job }) else { return false }
    waiting[client]?.remove(at: index)
    count -= 1
    if waiting[client]?.isEmpty == true {
      waiting[client] = nil
      clients.removeAll { $0 == client }
    }
    return true
  }
}
