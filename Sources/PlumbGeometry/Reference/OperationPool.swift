import CPROJ
import PlumbCore
import Synchronization

/// A pool of idle PROJ operations between two CRSs.
///
/// PROJ takes 1 to 50 ms to choose the operations between two CRSs. The layers, shapes and points of a
/// query need the same few operations, and each worker needs a separate copy of them. An operation
/// taken from the pool belongs to the caller of `reserve` until it is returned.
final class OperationPool: Sendable {
  static let shared = OperationPool(limit: 16)

  /// PROJ's best operations from one CRS to another, and their context.
  ///
  /// Invariant: an operation has one owner at a time, either a transformation or the pool; the pool
  /// transfers the ownership while it holds its lock. PROJ does not tie contexts or operations to a
  /// thread.
  final class Operation: @unchecked Sendable {
    private let context: ProjContext
    let pointer: OpaquePointer
    fileprivate let key: Key

    /// - Parameter pointer: an operation of the context, owned by the new object.
    private init(_ key: Key, _ pointer: OpaquePointer, _ context: ProjContext) {
      (self.key, self.pointer, self.context) = (key, pointer, context)
    }

    /// Creates an operation in a pooled context, and returns a copy in a separate context, so that the
    /// pooled context can be reused. If PROJ cannot copy the operation, returns the operation itself.
    ///
    /// `proj_assign_context` is not used, because it does not assign the context to the parts of some
    /// projections. The errors of these parts would not be noticed.
    ///
    /// - Throws: if PROJ finds no operation between the two CRSs.
    fileprivate static func create(_ key: Key) throws(GeometryError) -> Operation {
      let (source, target) = (key.source, key.target)
      let context = try ProjContext()
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
      let created = Operation(key, pointer, context)
      return created.copy() ?? created
    }

    /// A copy in a separate context; nil if PROJ cannot copy the operation. PROJ copies an operation in a
    /// fraction of the time that it needs to choose the operations between two CRSs.
    ///
    /// PROJ reads only the definition of the operation, which transformations do not change. A definition and
    /// its copies must not be copied by several threads at the same time.
    fileprivate func copy() -> Operation? {
      guard let separate = try? ProjContext.separate(),
        let copy = proj_clone(separate.pointer, pointer)
      else { return nil }
      return Operation(key, copy, separate)
    }

    deinit { proj_destroy(pointer) }
  }

  fileprivate struct Key: Hashable {
    let source: SpatialReference
    let target: SpatialReference

    /// Whether operations may be kept. Operations are not kept if the definition of a CRS refers to a file,
    /// because the permission to read the file is checked when an operation is created.
    var isKept: Bool {
      SpatialReference.file(namedIn: source.definition) == nil
        && SpatialReference.file(namedIn: target.definition) == nil
    }
  }

  /// An operation that is only copied, by one thread at a time.
  private final class Prototype: Sendable {
    let key: Key
    private let operation: Mutex<Operation>

    init(_ operation: Operation) {
      key = operation.key
      self.operation = Mutex(operation)
    }

    func copy() -> Operation? { operation.withLock { $0.copy() } }
  }

  private struct Contents {
    /// The idle operations, the least recently used first.
    var idle: [Operation] = []
    /// The prototypes, the newest last.
    var prototypes: [Prototype] = []
  }

  private let contents = Mutex(Contents())
  private let limit: Int

  /// - Parameter limit: the maximum number of idle operations, and of pairs of CRSs whose operations
  ///   are kept for copies.
  init(limit: Int) { self.limit = limit }

  /// Returns an operation for the caller's exclusive use: an idle operation, a copy, or a new
  /// operation.
  ///
  /// - Throws: if PROJ finds no operation between the two CRSs.
  func reserve(
    from source: SpatialReference, to target: SpatialReference
  ) throws(GeometryError) -> Operation {
    let key = Key(source: source, target: target)
    let (found, prototype) = contents.withLock { contents in
      (
        contents.idle.lastIndex { $0.key == key }.map { contents.idle.remove(at: $0) },
        contents.prototypes.last { $0.key == key }
      )
    }
    if let found { return found }
    if let copy = prototype?.copy() { return copy }
    let created = try Operation.create(key)
    guard key.isKept, let copy = created.copy() else { return created }
    let dropped = contents.withLock { contents in
      contents.prototypes.append(Prototype(created))
      return contents.prototypes.count > limit ? contents.prototypes.removeFirst() : nil
    }
    withExtendedLifetime(dropped) {}
    return copy
  }

  /// Returns an operation to the pool.
  func release(_ operation: Operation) {
    guard operation.key.isKept else { return }
    let dropped = contents.withLock { contents in
      contents.idle.append(operation)
      return contents.idle.count > limit ? contents.idle.removeFirst() : nil
    }
    // The dropped operation is destroyed here, without the lock held.
    withExtendedLifetime(dropped) {}
  }
}
