import CPROJ
import PlumbCore
import Synchronization

/// A pool of idle PROJ operations between two CRSs.
///
/// PROJ takes about 1 ms to create an operation, which needs a context with a connection to PROJ's
/// database. The layers, shapes and points of a query need the same few operations. An operation
/// taken from the pool belongs to the caller of `reserve` until it is returned.
final class OperationPool: Sendable {
  static let shared = OperationPool(limit: 16)

  /// PROJ's best operations from one CRS to another, and their context.
  ///
  /// Invariant: an operation has one owner at a time, either a transformation or the pool; the pool
  /// transfers the ownership while it holds its lock. PROJ does not tie contexts or operations to a
  /// thread.
  final class Operation: @unchecked Sendable {
    let context: ProjContext
    let pointer: OpaquePointer
    fileprivate let key: Key

    /// - Throws: if PROJ finds no operation between the two CRSs.
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
            + context.removeMessage("PROJ finds none"))
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

  /// The idle operations, the least recently used first.
  private let idle = Mutex<[Operation]>([])
  private let limit: Int

  /// - Parameter limit: the maximum number of idle operations.
  init(limit: Int) { self.limit = limit }

  /// Returns an operation for the caller's exclusive use, either an idle operation or a new
  /// operation.
  ///
  /// - Throws: if PROJ finds no operation between the two CRSs.
  func reserve(
    from source: SpatialReference, to target: SpatialReference
  ) throws(GeometryError) -> Operation {
    let key = Key(source: source, target: target)
    let found = idle.withLock { idle in
      idle.lastIndex { $0.key == key }.map { idle.remove(at: $0) }
    }
    if let found { return found }
    return try Operation(from: source, to: target)
  }

  /// Returns an operation to the pool.
  ///
  /// An operation whose definitions refer to files is not kept, because the permission to read the
  /// files is checked when an operation is created.
  func release(_ operation: Operation) {
    let (source, target) = (operation.key.source.definition, operation.key.target.definition)
    guard SpatialReference.file(namedIn: source) == nil,
      SpatialReference.file(namedIn: target) == nil
    else { return }
    let dropped = idle.withLock { idle in
      idle.append(operation)
      return idle.count > limit ? idle.removeFirst() : nil
    }
    // The dropped operation is destroyed here, without the lock held.
    withExtendedLifetime(dropped) {}
  }
}
