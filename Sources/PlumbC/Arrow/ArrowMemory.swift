import CPlumb
import Plumb

/// The memory that a schema points to.
final class SchemaMemory {
  private var allocated: [UnsafeMutableRawPointer] = []
  private let children: MemberList<ArrowSchema>
  private let dictionary: UnsafeMutablePointer<ArrowSchema>?

  private init(_ children: [ArrowSchema], _ dictionary: ArrowSchema?) {
    self.children = MemberList(children)
    self.dictionary = dictionary.map(MemberList.allocatedMember)
  }

  deinit {
    // Schemas that were moved out are already marked as released.
    children.free { $0.pointee.release?($0) }
    if let dictionary {
      dictionary.pointee.release?(dictionary)
      dictionary.deallocate()
    }
    allocated.forEach { $0.deallocate() }
  }

  private func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    memory.copyMemory(from: bytes, byteCount: bytes.count)
    allocated.append(memory)
    return memory.assumingMemoryBound(to: CChar.self)
  }

  /// Encodes metadata in the format of the Arrow C data interface. The bytes contain the number of
  /// pairs, followed by each key and value, which are preceded by their lengths. All numbers are in
  /// native byte order. Returns no bytes if there are no pairs.
  static func encode(_ metadata: [(key: String, value: String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    if metadata.isEmpty { return bytes }
    func append(_ number: Int) {
      withUnsafeBytes(of: Int32(number)) { bytes += Array($0) }
    }
    append(metadata.count)
    for (key, value) in metadata {
      for text in [key, value] {
        append(text.utf8.count)
        bytes += Array(text.utf8)
      }
    }
    return bytes
  }

  /// The metadata at a pointer, as bytes in the format of `encode`.
  private static func metadata(at start: UnsafePointer<CChar>) -> [UInt8] {
    let bytes = UnsafeRawPointer(start)
    func number(at offset: Int) -> Int {
      Int(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
    }
    var size = 4
    for _ in 0..<2 * number(at: 0) { size += 4 + number(at: size) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: size))
  }

  /// Fills in a schema, which takes ownership of its children.
  ///
  /// - Parameter metadata: the metadata as returned by `encode`; empty for none.
  static func fill(
    _ schema: UnsafeMutablePointer<ArrowSchema>, format: [UInt8], name: [UInt8],
    metadata: [UInt8] = [], flags: Int64, children: [ArrowSchema], dictionary: ArrowSchema? = nil
  ) {
    let memory = SchemaMemory(children, dictionary)
    schema.initialize(
      to: ArrowSchema(
        format: memory.copy(format + [0]), name: memory.copy(name + [0]),
        metadata: metadata.isEmpty ? nil : memory.copy(metadata), flags: flags,
        n_children: Int64(children.count), children: memory.children.start,
        dictionary: memory.dictionary, release: { SchemaMemory.release($0) },
        private_data: Unmanaged.passRetained(memory).toOpaque()))
  }

  static func fill(
    _ schema: UnsafeMutablePointer<ArrowSchema>, format: String, name: String, flags: Int64,
    children: [ArrowSchema]
  ) {
    fill(
      schema, format: Array(format.utf8), name: Array(name.utf8), flags: flags, children: children)
  }

  /// Copies a schema, including all memory to which it points.
  static func copy(
    _ source: UnsafePointer<ArrowSchema>, to target: UnsafeMutablePointer<ArrowSchema>
  ) {
    func copied(_ source: UnsafePointer<ArrowSchema>) -> ArrowSchema {
      var part = ArrowSchema()
      copy(source, to: &part)
      return part
    }
    func text(_ start: UnsafePointer<CChar>?) -> [UInt8] {
      start.map { Array(String(cString: $0).utf8) } ?? []
    }
    let from = source.pointee
    fill(
      target, format: text(from.format), name: text(from.name),
      metadata: from.metadata.map(metadata(at:)) ?? [], flags: from.flags,
      children: (0..<Int(from.n_children)).compactMap { from.children?[$0].map { copied($0) } },
      dictionary: from.dictionary.map { copied($0) })
  }

  private static func release(_ schema: UnsafeMutablePointer<ArrowSchema>?) {
    guard let schema, let data = schema.pointee.private_data, schema.pointee.release != nil else {
      return
    }
    schema.pointee.release = nil
    schema.pointee.private_data = nil
    Unmanaged<SchemaMemory>.fromOpaque(data).release()
  }
}

/// The memory that an array points to.
final class ArrayMemory {
  private let buffers: UnsafeMutablePointer<UnsafeRawPointer?>
  private let children: MemberList<ArrowArray>
  private let dictionary: UnsafeMutablePointer<ArrowArray>?
  /// The owners of the bytes.
  private let owners: [any AnyObject & Sendable]

  private init(
    _ buffers: [UnsafeRawPointer?], _ children: [ArrowArray], _ dictionary: ArrowArray?,
    _ owners: [any AnyObject & Sendable]
  ) {
    self.buffers = .allocate(capacity: max(1, buffers.count))
    self.buffers.initialize(from: buffers, count: buffers.count)
    self.children = MemberList(children)
    self.dictionary = dictionary.map(MemberList.allocatedMember)
    self.owners = owners
  }

  deinit {
    children.free { $0.pointee.release?($0) }
    if let dictionary {
      dictionary.pointee.release?(dictionary)
      dictionary.deallocate()
    }
    buffers.deallocate()
  }

  /// Fills in an array, which takes ownership of its children.
  static func fill(
    _ array: UnsafeMutablePointer<ArrowArray>, buffers: [UnsafeRawPointer?], count: Int,
    nullCount: Int, offset: Int = 0, owners: [any AnyObject & Sendable], children: [ArrowArray],
    dictionary: ArrowArray? = nil
  ) {
    let memory = ArrayMemory(buffers, children, dictionary, owners)
    array.initialize(
      to: ArrowArray(
        length: Int64(count), null_count: Int64(nullCount), offset: Int64(offset),
        n_buffers: Int64(buffers.count), n_children: Int64(children.count),
        buffers: memory.buffers, children: memory.children.start, dictionary: memory.dictionary,
        release: { ArrayMemory.release($0) },
        private_data: Unmanaged.passRetained(memory).toOpaque()))
  }

  private static func release(_ array: UnsafeMutablePointer<ArrowArray>?) {
    guard let array, let data = array.pointee.private_data, array.pointee.release != nil else {
      return
    }
    array.pointee.release = nil
    array.pointee.private_data = nil
    Unmanaged<ArrayMemory>.fromOpaque(data).release()
  }
}

/// Structures that are allocated one by one, with a list of pointers to them.
private struct MemberList<Member: BitwiseCopyable> {
  let start: UnsafeMutablePointer<UnsafeMutablePointer<Member>?>
  private let count: Int

  init(_ members: [Member]) {
    count = members.count
    start = .allocate(capacity: max(1, count))
    start.initialize(from: members.map { Optional(Self.allocatedMember($0)) }, count: count)
  }

  static func allocatedMember(_ member: Member) -> UnsafeMutablePointer<Member> {
    let pointer = UnsafeMutablePointer<Member>.allocate(capacity: 1)
    pointer.initialize(to: member)
    return pointer
  }

  func free(_ release: (UnsafeMutablePointer<Member>) -> Void) {
    for number in 0..<count {
      guard let member = start[number] else { continue }
      release(member)
      member.deallocate()
    }
    start.deallocate()
  }
}
