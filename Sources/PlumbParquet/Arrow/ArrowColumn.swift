import PlumbIO

/// The storage of a column's values in the buffers of a record batch.
enum ArrowStorage: Sendable, Equatable {
  /// No buffers: every value is null.
  case null
  /// One bit per value.
  case bits
  /// Values of one size in bytes.
  case fixed(width: Int)
  /// Bytes of any length, with offsets of 4 or 8 bytes.
  case offsets(width: Int)
  /// Bytes of any length, with views of 16 bytes that contain or refer to them.
  case views
  case structure
  /// Lists with offsets of 4 or 8 bytes. List views also have sizes.
  case list(width: Int, isView: Bool)
  /// Maps: lists of structures of a key and a value.
  case map
  /// Lists of one length.
  case fixedList(length: Int)
  /// Unions with the given number of buffers.
  case union(bufferCount: Int)
  /// The ends of runs, and a value for each run.
  case runEnds
  /// Indices into a dictionary. The only child of the column describes the dictionary's values.
  case dictionary(id: Int64, index: ArrowIndex)
}

/// The integers of a column of indices.
struct ArrowIndex: Sendable, Hashable {
  /// The size in bytes.
  var width: Int
  var isSigned: Bool
}

/// A column of an Arrow stream, or a child of such a column.
struct ArrowColumn: Sendable {
  var field: ColumnField
  var storage: ArrowStorage
  var children: [ArrowColumn] = []
  /// The reason why the column cannot be read, such as `has lists`; nil if it can.
  var refusal: String?
  /// The CRS of a column of geometries; nil if its type names none.
  var crs: GeoParquetMetadata.CRS?

  /// Whether the column has lists or maps.
  var isNested: Bool {
    switch storage {
    case .list, .map: true
    case .fixedList: field.kind == .json
    default: children.contains { $0.isNested }
    }
  }

  /// The children that have buffers in the same record batch.
  private var parts: [ArrowColumn] {
    if case .dictionary = storage { [] } else { children }
  }

  /// The number of columns with rows in a record batch.
  var nodeCount: Int { parts.reduce(1) { $0 + $1.nodeCount } }

  /// The number of columns of views.
  var viewCount: Int { parts.reduce(storage == .views ? 1 : 0) { $0 + $1.viewCount } }

  /// The number of buffers in a record batch, without the bytes to which views refer.
  var bufferCount: Int {
    let own =
      switch storage {
      case .null, .runEnds: 0
      case .structure, .fixedList: 1
      case .bits, .fixed, .dictionary, .views, .map: 2
      case .offsets: 3
      case .list(_, let isView): isView ? 3 : 2
      case .union(let count): count
      }
    return parts.reduce(own) { $0 + $1.bufferCount }
  }
}
