import CPROJ
import PlumbCore

/// Transforms coordinates from one CRS to another with PROJ's best operation for each point, or
/// with a named operation. The class is not thread-safe; each worker needs a separate instance.
public final class Transformation {
  /// The context of a named transformation's steps; nil for a pooled operation, which has its own.
  private let context: ProjContext?
  /// The PROJ operations, in order.
  private let steps: [Step]
  /// The pooled operation to which the steps belong; nil for a named transformation, which owns its
  /// steps.
  private let pooled: OperationPool.Operation?
  /// Whether the transformation is the same formula everywhere: it does not choose between
  /// operations by area, and uses no grid, whose cells would be visible in the result.
  public private(set) lazy var isSmooth =
    !isNamed && Self.isSingleFormula(source, target)
  private let isNamed: Bool
  private let source: SpatialReference
  private let target: SpatialReference
  /// The period of x in each CRS's unit; nil if x is not a longitude.
  private let sourcePeriod: Double?
  private let targetPeriod: Double?
  var sourceLabel: String { source.label }
  var targetLabel: String { target.label }

  /// A PROJ operation and how it is applied.
  struct Step {
    var operation: OpaquePointer
    var direction = PJ_FWD
    /// The factors by which coordinates are multiplied before and after the operation, for
    /// operations in radians.
    var before = 1.0
    var after = 1.0
  }

  /// Takes ownership of steps that were created with the context.
  init(
    named steps: [Step], _ context: ProjContext, from source: SpatialReference,
    to target: SpatialReference
  ) {
    (self.steps, self.context, self.source, self.target) = (steps, context, source, target)
    isNamed = true
    pooled = nil
    (sourcePeriod, targetPeriod) = Self.periods(source, target)
  }

  /// - Throws: if PROJ finds no operation between the two CRSs.
  public init(from source: SpatialReference, to target: SpatialReference) throws(GeometryError) {
    let operation = try OperationPool.shared.reserve(from: source, to: target)
    steps = [Step(operation: operation.pointer)]
    (pooled, context) = (operation, nil)
    (self.source, self.target, isNamed) = (source, target, false)
    (sourcePeriod, targetPeriod) = Self.periods(source, target)
  }

  deinit {
    if let pooled {
      OperationPool.shared.release(pooled)
    } else {
      for step in steps { proj_destroy(step.operation) }
    }
  }

  /// Transforms coordinates in place; coordinates that cannot be transformed become infinite or
  /// NaN.
  ///
  /// For longitudes that differ by whole periods, the results are the same, or shifted by as many
  /// periods if the target's x is also a longitude. PROJ alone might choose another operation, or
  /// none, for a longitude beyond ±180°.
  /// - Complexity: about 0.1 to 0.3 µs per point.
  public func apply(
    x: UnsafeMutablePointer<Double>, y: UnsafeMutablePointer<Double>, count: Int
  ) {
    let stride = MemoryLayout<Double>.stride
    let turned = removeShifts(x, count)
    defer {
      if let period = targetPeriod { for (index, shifts) in turned { x[index] += shifts * period } }
    }
    for step in steps {
      if step.before != 1 { Self.scale(x, y, count, by: step.before) }
      proj_errno_reset(step.operation)
      proj_trans_generic(
        step.operation, step.direction, x, stride, count, y, stride, count, nil, 0, 0, nil, 0, 0)
      if step.after != 1 { Self.scale(x, y, count, by: step.after) }
    }
  }

  /// Transforms a point from the target to the source; the result is not finite if the point cannot
  /// be transformed.
  func inverse(_ point: SIMD2<Double>) -> SIMD2<Double> {
    var point = point
    if let period = targetPeriod { point.x = point.x.remainder(dividingBy: period) }
    for step in steps.reversed() {
      let input = point / step.after
      let direction = step.direction == PJ_FWD ? PJ_INV : PJ_FWD
      let found = proj_trans(step.operation, direction, proj_coord(input.x, input.y, 0, 0)).xy
      point = SIMD2(found.x, found.y) / step.before
    }
    return point
  }

  private static func periods(
    _ source: SpatialReference, _ target: SpatialReference
  ) -> (source: Double?, target: Double?) {
    // A projection with `+over` continues beyond 180°.
    if (source.definition + target.definition).contains("+over") { return (nil, nil) }
    return (source.period, target.period)
  }

  /// Wraps longitudes to within half a period of 0, and returns the indices of the wrapped
  /// longitudes and the numbers of periods that were subtracted.
  private func removeShifts(
    _ x: UnsafeMutablePointer<Double>, _ count: Int
  ) -> [(index: Int, shifts: Double)] {
    guard let period = sourcePeriod else { return [] }
    let half = period / 2
    var turned: [(index: Int, shifts: Double)] = []
    for index in 0..<count where x[index].magnitude > half {
      let shifts = (x[index] / period).rounded()
      guard shifts.magnitude < 1e9 else { continue }
      x[index] -= shifts * period
      turned.append((index, shifts))
    }
    return turned
  }

  private static func scale(
    _ x: UnsafeMutablePointer<Double>, _ y: UnsafeMutablePointer<Double>, _ count: Int,
    by factor: Double
  ) {
    for index in 0..<count {
      x[index] *= factor
      y[index] *= factor
    }
  }

  private static func isSingleFormula(
    _ source: SpatialReference, _ target: SpatialReference
  ) -> Bool {
    guard let context = try? ProjContext() else { return false }
    guard let list = operations(context, source, target, area: nil) else { return false }
    defer { proj_list_destroy(list) }
    guard proj_list_get_count(list) == 1, let only = proj_list_get(context.pointer, list, 0) else {
      return false
    }
    defer { proj_destroy(only) }
    return proj_coordoperation_get_grid_used_count(context.pointer, only) == 0
  }

  /// All operations between two CRSs, best first, whether or not their grids are installed; the
  /// caller destroys the list.
  private static func operations(
    _ context: ProjContext, _ source: SpatialReference, _ target: SpatialReference,
    area: (west: Double, south: Double, east: Double, north: Double)?
  ) -> OpaquePointer? {
    let pointer = context.pointer
    guard let a = proj_create(pointer, source.definition) else { return nil }
    defer { proj_destroy(a) }
    guard let b = proj_create(pointer, target.definition) else { return nil }
    defer { proj_destroy(b) }
    guard let factory = proj_create_operation_factory_context(pointer, nil) else { return nil }
    defer { proj_operation_factory_context_destroy(factory) }
    proj_operation_factory_context_set_grid_availability_use(
      pointer, factory, PROJ_GRID_AVAILABILITY_IGNORED)
    proj_operation_factory_context_set_spatial_criterion(
      pointer, factory, PROJ_SPATIAL_CRITERION_PARTIAL_INTERSECTION)
    if let area {
      proj_operation_factory_context_set_area_of_interest(
        pointer, factory, area.west, area.south, area.east, area.north)
    }
    return proj_create_operations(pointer, a, b, factory)
  }

  /// Properties of the operation that PROJ prefers between two CRSs.
  public struct Quality: Sendable, Hashable {
    /// PROJ's name of the operation.
    public var name: String
    /// The accuracy in metres; nil if unknown.
    public var accuracy: Double?
    /// Whether PROJ has no datum shift between the CRSs and treats their datums as the same.
    public var isBallpark: Bool
    /// Whether one of the CRSs is on a sphere, which is not tied to any datum. Between a sphere and
    /// another CRS, the best operation is to keep longitudes and latitudes unchanged.
    public var isOnSphere = false
    /// Grids that the best operation needs and that are not installed.
    public var missingGrids: [String]
    /// Whether PROJ has no other operation.
    package var isOnly = false

    /// Whether results may be less accurate than the CRSs allow.
    public var isUncertain: Bool { isBallpark && !isOnSphere || !missingGrids.isEmpty }
  }

  /// The quality of PROJ's best operation, whether or not its grids are installed.
  ///
  /// - Parameters:
  ///   - source: the source CRS.
  ///   - target: the target CRS.
  ///   - area: the extent of the points: west, south, east, north in degrees of WGS84.
  public static func quality(
    from source: SpatialReference, to target: SpatialReference,
    area: (west: Double, south: Double, east: Double, north: Double)? = nil
  ) -> Quality? {
    guard let context = try? ProjContext() else { return nil }
    let pointer = context.pointer
    guard let list = operations(context, source, target, area: area) else { return nil }
    defer { proj_list_destroy(list) }
    guard proj_list_get_count(list) > 0, let best = proj_list_get(pointer, list, 0) else {
      return nil
    }
    defer { proj_destroy(best) }
    let missing = grids(of: best, context).filter { !$0.isInstalled }.map(\.name)
    let accuracy = proj_coordoperation_get_accuracy(pointer, best)
    return Quality(
      name: proj_get_name(best).map { String(cString: $0).printable } ?? "",
      accuracy: accuracy < 0 ? nil : accuracy,
      isBallpark: proj_coordoperation_has_ballpark_transformation(pointer, best) != 0,
      isOnSphere: [source, target].contains { $0.ellipsoid?.flattening == 0 },
      missingGrids: missing, isOnly: proj_list_get_count(list) == 1)
  }

  /// The grids that an operation uses.
  private static func grids(
    of operation: OpaquePointer, _ context: ProjContext
  ) -> [(name: String, isInstalled: Bool)] {
    (0..<proj_coordoperation_get_grid_used_count(context.pointer, operation)).compactMap { index in
      var name: UnsafePointer<CChar>?
      var isAvailable: Int32 = 0
      let found = proj_coordoperation_get_grid_used(
        context.pointer, operation, index, &name, nil, nil, nil, nil, nil, &isAvailable)
      guard found != 0, let name else { return nil }
      return (String(cString: name).printable, isAvailable != 0)
    }
  }

  /// The version of the loaded PROJ.
  private static let projVersion = proj_info().version.map { String(cString: $0) } ?? ""

  /// A description of PROJ's version and of the operations between two CRSs, with their grids and
  /// whether each grid is installed; empty if a CRS is unknown, or if the CRSs are equivalent. The
  /// description does not depend on the contents of the grid files.
  package static func candidates(
    from source: SpatialReference?, to target: SpatialReference?
  ) -> String {
    guard let source, let target, !source.isEquivalent(to: target) else { return "" }
    var parts = [projVersion]
    guard let context = try? ProjContext(),
      let list = operations(context, source, target, area: nil)
    else { return parts[0] }
    defer { proj_list_destroy(list) }
    for index in 0..<proj_list_get_count(list) {
      guard let operation = proj_list_get(context.pointer, list, index) else { continue }
      defer { proj_destroy(operation) }
      parts.append(proj_get_name(operation).map { String(cString: $0) } ?? "")
      parts += grids(of: operation, context).map { "\($0.name) \($0.isInstalled)" }
    }
    return parts.joined(separator: "\n")
  }
}
