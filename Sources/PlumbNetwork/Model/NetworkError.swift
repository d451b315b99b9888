import PlumbCore

/// What is wrong with a network, its parts or a trace of it, in one line that names the element.
public struct NetworkError: PlumbFailure, Hashable {
  /// What sort of mistake it is, for callers that treat some otherwise than others.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The definition contradicts itself or names what it does not have.
    case badDefinition
    /// A feature cannot be taken: its type, its terminals, its location or its values are wrong.
    case badFeature
    /// Two features of one source have one global id.
    case duplicateIdentifier
    /// An id that no feature has.
    case unknownElement
    /// An id that features of several sources have; the message lists the ways to say which.
    case ambiguousElement
    /// A domain network, tier, category, attribute or other name that the definition lacks.
    case unknownName
    /// A device with several terminals needs one named.
    case terminalMissing
    /// An edge's end meets several junctions, or a device with several terminals, and nothing says
    /// which.
    case ambiguousConnection
    /// The parameters of a trace do not go together, or lack what its type needs.
    case badParameters
    /// All starting locations are barriers.
    case startIsBarrier
    /// No subnetwork controller is reached from the start.
    case noControllers
    /// Controllers of several subnetworks are reached from the start.
    case severalSubnetworks
    /// Two starts that no path joins.
    case noPath
    /// More elements than a network holds.
    case tooLarge
  }

  /// What sort of mistake it is.
  public var kind: Kind
  /// What is wrong and where, in one line that names the element.
  public var message: String
  /// Which association is at fault, in the order in which they were added; nil for none.
  public var association: Int?

  private let reason: FailureCause?

  /// An error of a kind, in one line.
  public init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    reason = cause.map { FailureCause($0) }
  }

  /// What sort of failure it is.
  public var code: FailureCode {
    switch kind {
    case .badDefinition, .badFeature, .duplicateIdentifier: .badInput
    case .unknownElement, .unknownName: .notFound
    case .ambiguousElement, .ambiguousConnection: .ambiguous
    case .terminalMissing, .badParameters: .badOption
    case .startIsBarrier, .noControllers, .severalSubnetworks, .noPath: .failed
    case .tooLarge: .limit
    }
  }

  /// The failure behind it; nil when it is the first.
  public var cause: (any Error)? { reason?.error }

  public var description: String { message }
}
