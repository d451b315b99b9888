import Plumb

/// Lines about rows that are wrong: the first ones each, then as many a minute as somebody can read,
/// the others by their number.
struct RowWarnings {
  let console: Console
  private var limit = RateLimit(first: 1000, perMinute: 60)

  init(console: Console) { self.console = console }

  mutating func add(_ issue: some CustomStringConvertible) { add(Wording(issue.description)) }

  mutating func add(_ issue: Wording) {
    let (isShown, heldBack) = limit.admit()
    warn(heldBack)
    if isShown { console.warn(issue) }
  }

  mutating func finish() { warn(limit.takeHeldBack()) }

  private func warn(_ heldBack: Int) {
    if heldBack > 0 { console.warn("and \(heldBack) more rows that are wrong") }
  }
}
