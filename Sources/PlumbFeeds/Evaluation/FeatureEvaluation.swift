import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbGeometry
import PlumbSources

/// An Arcade expression that can be evaluated in three ways: without data; with a point or each
/// feature of a file as the value of `$feature`; and, as the message or the filter of a monitor,
/// for fences and locations.
public struct FeatureEvaluation {
  /// The global variables that an expression can use.
  package enum Global: String, CaseIterable {
    case feature = "$feature"
    case feedFeature = "$feedfeature"
    case fenceFeature = "$fencefeature"
    case fenceNotificationType = "$fencenotificationtype"
    case locationUpdate = "$locationupdate"
  }

  private let program: ArcadeProgram
  /// Receives the messages that the expression passes to `Console`, one at a time.
  public var console: ((String) -> Void)?

  /// - Throws: for an error in the expression, with its line and column.
  public init(_ expression: String) throws(ExpressionError) {
    program = try ArcadeProgram(expression, globals: Global.allCases.map(\.rawValue))
  }

  /// Remarks on how ambiguous parts of the expression are interpreted, one line each.
  public var notes: [String] { program.notes }

  /// Whether the expression uses a global variable.
  package func reads(_ global: Global) -> Bool {
    program.usedGlobals.contains { Global.allCases[$0] == global }
  }

  func makeEvaluator() -> ArcadeEvaluator {
    let evaluator = ArcadeEvaluator(program)
    evaluator.console = console
    return evaluator
  }

  /// Returns the values of all global variables; null for variables without a given value.
  package static func values(_ valuesByGlobal: [Global: ArcadeValue]) -> [ArcadeValue] {
    Global.allCases.map { valuesByGlobal[$0] ?? .null }
  }

  /// The normalized text of the expression. Expressions with the same meaning have the same
  /// normalized text.
  public var description: String { program.description }

  /// Evaluates the expression.
  ///
  /// - Parameters:
  ///   - features: `FILE` or `FILE:LAYER`, to evaluate the expression once for each feature; nil to
  ///     evaluate it once.
  ///   - location: longitude and latitude in degrees. With features, only features that contain
  ///     this location are used. Without features, `$feature` is a point at this location.
  ///   - now: the value of `Now()`, in milliseconds since 1970.
  ///   - access: the other files that the file may refer to.
  ///   - services: sends requests to services; nil if GDAL opens URLs.
  ///   - body: receives each value as text. Strings are unchanged. Arrays, dictionaries and shapes
  ///     are JSON.
  /// - Throws: when the file cannot be read, or for the first error of an evaluation, which names
  ///   the feature.
  public func run(
    features: String?, at location: (x: Double, y: Double)?, now: Int64,
    access: DocumentAccess = .folder, services: FeatureServices? = nil,
    _ body: (String) throws -> Void
  ) throws {
    for global in Global.allCases where global != .feature && reads(global) {
      throw global.isMissing
    }
    let evaluator = makeEvaluator()
    let now = ArcadeDate(milliseconds: now)
    let point = location.map { Geometry.point(Point(x: $0.x, y: $0.y, spatialReference: .wgs84)) }
    guard let features else {
      if point == nil, reads(.feature) { throw Global.feature.isMissing }
      let feature = ArcadeFeature(fields: ArcadeFields([]), attributes: [], geometry: point)
      let globals = Self.values([.feature: .feature(feature)])
      return try body(try evaluator.evaluate(globals, now: now).shown())
    }
    let (path, layer) = FenceFile.split(features)
    let reader = try FeatureFile.open(
      path: path, layer: layer, access: access.named, services: services)
    let fields = ArcadeFields(reader.fields.map(\.name))
    let window = try point.map { point -> Geometry in
      guard let reference = reader.spatialReference else { return point }
      return try GeometryEngine.project(point, to: reference)
    }
    var number = 0
    while let batch = try reader.next(limit: 1024) {
      for feature in batch {
        number += 1
        if let window {
          guard let geometry = feature.geometry, try GeometryEngine.intersects(geometry, window)
          else { continue }
        }
        let value = ArcadeFeature(
          fields: fields, attributes: feature.attributes.map { ArcadeValue($0) },
          geometry: feature.geometry)
        let found: String
        do throws(ExpressionError) {
          found = try evaluator.evaluate(Self.values([.feature: .feature(value)]), now: now)
            .shown()
        } catch {
          throw PlumbError("feature \(number)", error, context: FailureContext(row: number))
        }
        try body(found)
      }
    }
  }
}

extension FeatureEvaluation.Global {
  /// The error for an expression that uses this global variable although the variable has no value.
  package var isMissing: PlumbError {
    let way: MessageTemplate =
      switch self {
      case .feature: "\(.feature, "FILE") or \(.at, "X,Y")"
      case .feedFeature, .locationUpdate: "\(.location, "X,Y") or \(.location, "FILE")"
      case .fenceFeature: "\(.fence, "FILE")"
      case .fenceNotificationType: "\(.fence, "FILE"), \(.location) or both"
      }
    return PlumbError(
      messageTemplate: "the expression uses \(rawValue): give \(way)", code: .badOption)
  }
}

extension ArcadeValue {
  /// The value as a line of output.
  package func shown() throws(ExpressionError) -> String {
    if case .null = self { return "null" }
    return try text()
  }
}
