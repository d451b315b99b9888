/// The work that waits for a thread. Clients take turns, and the number of running jobs per client
/// is limited.
package struct WorkQueue {
  /// Whether further work is rejected.
  package var isClosed = false
  /// Whether work runs one at a time.
  package var runsOneByOne = false
  /// Whether jobs that need much memory have to wait.
  package var holdsLarge = false
  /// The running jobs. The job that has run for the longest time is first.
  private(set) var runningJobs: [WorkJob] = []
  /// The number of waiting jobs.
  package private(set) var count = 0
  private let limit: Int
  private let perClient: Int
  private let largeLimit: Int
  private var waiting: [String: [WorkJob]] = [:]
  private var running: [String: Int] = [:]
  /// The clients with waiting work, in the order of their turns.
  private var clients: [String] = []

  /// - Parameters:
  ///   - limit: the maximum number of waiting jobs.
  ///   - perClient: the maximum number of running jobs of one client.
  ///   - largeLimit: the maximum number of running jobs that take much memory.
  package init(limit: Int, perClient: Int, largeLimit: Int = .max) {
    (self.limit, self.perClient, self.largeLimit) = (limit, perClient, largeLimit)
  }

  /// Adds a job if the queue is not full, and returns whether the job was added.
  package mutating func add(_ job: WorkJob) -> Bool {
    let client = job.turn.client
    // No client may use the whole queue.
    guard count < limit, !isClosed, waiting[client]?.count ?? 0 < limit / 4 else { return false }
    if waiting[client] == nil { clients.append(client) }
    waiting[client, default: []].append(job)
    count += 1
    return true
  }

  /// Returns the next job; nil if no job can start yet, and `.some(nil)` if the queue is closed and
  /// empty.
  package mutating func next() -> WorkJob?? {
    guard !runsOneByOne || runningJobs.allSatisfy(\.isAbandoned) else { return nil }
    let mayBeLarge =
      !holdsLarge
      && runningJobs.count { $0.turn.isLarge && !$0.isAbandoned } < largeLimit
    guard let (position, index) = choice(mayBeLarge: mayBeLarge) else {
      return isClosed && count == 0 ? .some(nil) : nil
    }
    let client = clients.remove(at: position)
    var jobs = waiting[client, default: []]
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

  /// Returns the position of the client whose turn it is, and the index of its next job; nil if no
  /// job can start yet.
  private func choice(mayBeLarge: Bool) -> (client: Int, job: Int)? {
    for (position, client) in clients.enumerated() where running[client, default: 0] < perClient {
      let jobs = waiting[client, default: []]
      // Takes the newest picture, because the client no longer needs the pictures of earlier views.
      let index =
        jobs.first?.turn.isPicture == true
        ? jobs.lastIndex { $0.turn.isPicture } : jobs.indices.first
      if let index, mayBeLarge || !jobs[index].turn.isLarge { return (position, index) }
      if let index = jobs.firstIndex(where: { !$0.turn.isLarge }) { return (position, index) }
    }
    return nil
  }

  /// Ends a job that `next` returned.
  package mutating func end(_ job: WorkJob) {
    runningJobs.removeAll { $0 === job }
    let left = running[job.turn.client, default: 1] - 1
    running[job.turn.client] = left == 0 ? nil : left
  }

  /// Removes a waiting job, and returns whether it was waiting.
  package mutating func remove(_ job: WorkJob) -> Bool {
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
