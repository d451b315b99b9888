import PlumbCore

/// An error in a network, its parts or a trace of the network, as one line with the name of the
/// element.
public struct NetworkError: PlumbFailure, Hashable {
  /// The kind of error, for callers that handle some kinds specially.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The definition contradicts itself or refers to undefined items.
    case badDefinition
    /// A feature is invalid: its type, its terminals, its location or its values are wrong.
    case badFeature
    /// Two features of the same source have the same global id.
    case duplicateIdentifier
    /// No feature has the id.
    case unknownElement
    /// Features of several sources have the id; the message lists the unambiguous names.
    case ambiguousElement
    /// A domain network, tier, category, attribute or other name is not in the definition.
    case unknownName
    /// A terminal of a device with several terminals is not given.
    case terminalMissing
    /// An edge's end meets several junctions, or a device with several terminals, and the intended
    /// junction or terminal is not given.
    case ambiguousConnection
    /// The parameters of a trace contradict each other, or a required parameter is missing.
    case badParameters
    /// All starting locations are barriers.
    case startIsBarrier
    /// No subnetwork controller is reached from the start.
    case noControllers
    /// Controllers of several subnetworks are reached from the start.
    case severalSubnetworks
    /// No path connects two starting locations.
    case noPath
    /// There are more elements than a network can contain.
    case tooLarge
  }

  /// The kind of error.
  public var kind: Kind
  /// The error as one line with the name of the element.
  public var message: String
  /// The index of the invalid association, in the order in which associations were added; nil for
  /// none.
  public var association: Int?

  private let reason: FailureCause?

  /// Creates an error with a one-line message.
  public init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    reason = cause.map { FailureCause($0) }
  }

  /// The failure code.
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

  /// The underlying error; nil if there is none.
  public var cause: (any Error)? { reason?.error }

  public var description: String { message }
}
