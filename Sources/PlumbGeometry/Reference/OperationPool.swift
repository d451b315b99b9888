import CPROJ
import PlumbCore
import Synchronization

/// PROJ's operations between two references that are not in use at the moment.
///
/// To make one takes PROJ about a millisecond and a context with a connection to its database, and
/// the layers, shapes and points of a query need the same few. An operation belongs to whoever took
/// it until it is given back.
final class OperationPool: Sendable {
  static let shared = OperationPool(limit: 16)

  /// PROJ's best operations from one reference to another, and the context that they live in.
  ///
  /// Invariant: one owner at a time, a transformation or the pool, whose lock hands it over. PROJ
  /// ties neither contexts nor operations to a thread.
  final class Operation: @unchecked Sendable {
    let context: ProjContext
    let pointer: OpaquePointer
    fileprivate let key: Key

    /// - Throws: when PROJ finds no operation between the two.
    init(
      from source: SpatialReference, to target: SpatialReference
    ) throws(GeometryError) {
      key = Key(source: source, target: target)
      context = try ProjContext()
      guard
        let raw = proj_create_crs_to_crs(
          context.pointer, source.definition, target.definition, nil)
      else {
        throw GeometryError(
          "no transformation from \(source.label) to \(target.label): "
            + context.takeMessage("PROJ finds none"))
      }
      defer { proj_destroy(raw) }
      guard let pointer = proj_normalize_for_visualization(context.pointer, raw) else {
        throw GeometryError(
          "no transformation from \(source.label) to \(target.label) with x before y")
      }
      self.pointer = pointer
    }

    deinit { proj_destroy(pointer) }
  }

  fileprivate struct Key: Hashable {
    let source: SpatialReference
    let target: SpatialReference
  }

  /// The longest unused first.
  private let idle = Mutex<[Operation]>([])
  private let limit: Int

  /// - Parameter limit: how many unused operations are kept.
  init(limit: Int) { self.limit = limit }

  /// An operation for the caller alone: an unused one, or a new one.
  ///
  /// - Throws: when PROJ finds no operation between the two.
  func take(
    from source: SpatialReference, to target: SpatialReference
  ) throws(GeometryError) -> Operation {
    let key = Key(source: source, target: target)
    let found = idle.withLock { idle in
      idle.lastIndex { $0.key == key }.map { idle.remove(at: $0) }
    }
    if let found { return found }
    return try Operation(from: source, to: target)
  }

  /// Takes an operation back, for the next who asks for its references.
  ///
  /// One whose definitions lead to files is dropped: whether they may be read is asked when an
  /// operation is made.
  func give(_ operation: Operation) {
    let (source, target) = (operation.key.source.definition, operation.key.target.definition)
    guard SpatialReference.file(namedIn: source) == nil,
      SpatialReference.file(namedIn: target) == nil
    else { return }
    let dropped = idle.withLock { idle in
      idle.append(operation)
      return idle.count > limit ? idle.removeFirst() : nil
    }
    // Destroyed outside of the lock.
    withExtendedLifetime(dropped) {}
  }
}
