/// A CASE that knows the fields' positions.
struct BoundChoice: Sendable {
  enum Cases: Sendable {
    /// The first that is true.
    case searched([(when: BoundTruth, then: BoundValue)])
    /// The first that equals the value, which is worked out once.
    case simple(BoundValue, [(when: BoundValue, then: BoundValue)])
  }

  var cases: Cases
  /// Nil for NULL.
  var otherwise: BoundValue?

  func value(_ row: SQLRow) -> SQLValue {
    switch cases {
    case .searched(let list):
      for (when, then) in list where when.truth(row) == .yes { return then.value(row) }
    case .simple(let value, let list):
      let value = value.value(row)
      for (when, then) in list where SQLValue.order(value, when.value(row)) == 0 {
        return then.value(row)
      }
    }
    return otherwise?.value(row) ?? .null
  }
}
