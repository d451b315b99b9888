/// A CASE with bound fields.
struct BoundChoice: Sendable {
  enum Cases: Sendable {
    /// The first branch whose condition is true.
    case searched([(when: BoundTruth, then: BoundValue)])
    /// The first branch whose value equals the given value, which is evaluated once.
    case simple(BoundValue, [(when: BoundValue, then: BoundValue)])
  }

  var cases: Cases
  /// The value after ELSE; nil for NULL.
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
