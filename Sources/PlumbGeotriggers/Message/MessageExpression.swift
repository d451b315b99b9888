import PlumbCore
import PlumbExpressions

/// The expression for the message of notifications. It is an Arcade expression on `$feedfeature`,
/// `$fencefeature` and `$fencenotificationtype`. It returns text, or a dictionary with `message`,
/// `actions` and further members.
public struct MessageExpression: Sendable {
  static let globals = ["$feedfeature", "$fencefeature", "$fencenotificationtype"]

  let program: ArcadeProgram

  /// - Throws: for an invalid expression, with the position of the error.
  public init(_ expression: String) throws(GeotriggerError) {
    do throws(ExpressionError) {
      program = try ArcadeProgram(expression, globals: Self.globals)
    } catch {
      throw GeotriggerError(
        "the message: \(error.message)", code: .badExpression, cause: error)
    }
  }

  /// Whether the expression uses the location. If it does not, the feed's attributes are not
  /// needed.
  public var readsLocation: Bool { program.usedGlobals.contains(0) }
}

/// The result of the expression for one event.
public struct GeotriggerMessage: Sendable, Hashable {
  /// The text for the user.
  public var text = ""
  /// The names of the actions that an app is requested to run.
  public var actions: [String] = []
  /// Further members of the dictionary, with arrays and dictionaries as JSON.
  public var properties: [Property] = []

  /// A further member of an expression's dictionary.
  public struct Property: Sendable, Hashable {
    /// The member's key.
    public var name: String
    /// The member's value; JSON for arrays and dictionaries.
    public var value: FieldValue
  }
}

/// Creates the messages of one geotrigger.
struct MessageRun {
  private let evaluator: ArcadeEvaluator
  private let fields: ArcadeFields
  private let readsLocation: Bool
  private let readsFence: Bool
  private var locations = LocationFeature()
  /// The features of fences, by the fences' positions. Each feature is created on first use.
  private var fences: [Int: ArcadeFeature] = [:]

  init(_ expression: MessageExpression, fenceFields: [String]) {
    evaluator = ArcadeEvaluator(expression.program)
    fields = ArcadeFields(fenceFields)
    readsLocation = expression.readsLocation
    readsFence = expression.program.usedGlobals.contains(1)
  }

  mutating func message(
    _ event: FenceEvent, _ fence: Fence, _ batch: LocationBatch, _ entities: EntityNames
  ) throws(ExpressionError) -> GeotriggerMessage {
    let location: ArcadeValue =
      readsLocation ? .feature(locations.feature(batch, event.row, entities: entities)) : .null
    let value = try evaluator.evaluate(
      [
        location, readsFence ? .feature(feature(event.fence, fence)) : .null,
        .text(event.type.rawValue),
      ],
      now: ArcadeDate(milliseconds: batch.time[event.row]))
    guard case .dictionary(let dictionary) = value else {
      return GeotriggerMessage(text: try value.text())
    }
    return try GeotriggerMessage(dictionary)
  }

  private mutating func feature(_ position: Int, _ fence: Fence) -> ArcadeFeature {
    if let known = fences[position] { return known }
    var values = fence.attributes.map { ArcadeValue($0) }
    while values.count < fields.names.count { values.append(.null) }
    let feature = ArcadeFeature(fields: fields, attributes: values, geometry: fence.geometry)
    fences[position] = feature
    return feature
  }
}

extension GeotriggerMessage {
  /// Creates a message from the members of a dictionary.
  init(_ dictionary: ArcadeDictionary) throws(ExpressionError) {
    for (key, value) in zip(dictionary.keys, dictionary.values) {
      switch key.lowercased() {
      case "message": text = try value.text()
      case "actions":
        if case .array(let array) = value {
          actions = []
          for action in array.elements { actions.append(try action.text()) }
        } else {
          actions = [try value.text()]
        }
      default: properties.append(Property(name: key, value: try value.fieldValue()))
      }
    }
  }
}

extension ArcadeValue {
  /// The value as an attribute, with arrays, dictionaries and shapes as JSON.
  fileprivate func fieldValue() throws(ExpressionError) -> FieldValue {
    switch self {
    case .null, .function: .null
    case .boolean(let flag): .boolean(flag)
    case .number(let number): .real(number)
    case .text(let text): .text(text)
    case .date: .text(asText)
    case .array, .dictionary, .feature, .geometry: .json(try text())
    }
  }
}
