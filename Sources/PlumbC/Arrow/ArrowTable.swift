import CPlumb
import Plumb

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A table as a struct array of the Arrow C data interface. The schema and the data have separate
/// memory, which the `release` callback of each structure releases.
struct ArrowTable: Sendable {
  var columns: [ArrowColumn]
  var count: Int

  /// Exports the table to the caller.
  ///
  /// - Parameters:
  ///   - schema: overwritten without being released first.
  ///   - array: overwritten without being released first.
  func export(
    to schema: UnsafeMutablePointer<ArrowSchema>, _ array: UnsafeMutablePointer<ArrowArray>
  ) {
    SchemaMemory.fill(schema, format: "+s", name: "", flags: 0, children: columns.map(\.schema))
    ArrayMemory.fill(
      array, buffers: [nil], count: count, nullCount: 0, owners: [],
      children: columns.map(\.array))
  }
}

extension ArrowColumn {
  fileprivate var schema: ArrowSchema {
    var schema = ArrowSchema()
    SchemaMemory.fill(
      &schema, format: Array(format.utf8), name: Array(name.utf8),
      metadata: SchemaMemory.encode(metadata), flags: Int64(ARROW_FLAG_NULLABLE),
      children: children.map(\.schema))
    return schema
  }

  fileprivate var array: ArrowArray {
    // The validity may be omitted if there are no nulls.
    let validity = nullCount > 0 ? validity : nil
    var array = ArrowArray()
    ArrayMemory.fill(
      &array,
      buffers: [validity.map { UnsafeRawPointer($0.base) }]
        + buffers.map { UnsafeRawPointer($0.base) },
      count: count, nullCount: nullCount, owners: (validity.map { [$0] } ?? []) + buffers,
      children: children.map(\.array))
    return array
  }
}
