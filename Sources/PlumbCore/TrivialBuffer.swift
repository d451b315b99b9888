/// Fixed-size storage for trivial elements, uninitialised or zeroed, freed with the object. Inner loops fetch
/// the pointer once and index it.
///
/// - Invariant: threads that share a buffer write disjoint elements, and read only elements that no thread
///   writes.
public final class TrivialBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  /// The number of elements.
  public let count: Int
  /// The address of the first element, valid while the buffer lives.
  public let base: UnsafeMutablePointer<Element>
  /// Whether another object owns the memory.
  private let isBorrowed: Bool

  /// - Parameters:
  ///   - count: the number of elements.
  ///   - zeroed: whether all bytes are zero; if false, the content is undefined.
  public init(count: Int, zeroed: Bool = false) {
    self.count = count
    isBorrowed = false
    base = LargeMemory.allocate(byteCount: max(count, 1) * MemoryLayout<Element>.stride)
      .bindMemory(to: Element.self, capacity: max(count, 1))
    if zeroed {
      UnsafeMutableRawPointer(base).initializeMemory(
        as: UInt8.self, repeating: 0, count: max(count, 1) * MemoryLayout<Element>.stride)
    }
  }

  /// A copy of the elements.
  public convenience init(_ elements: some Collection<Element>) {
    self.init(count: elements.count)
    _ = UnsafeMutableBufferPointer(start: base, count: count).initialize(from: elements)
  }

  /// Uses memory that another object owns; the memory must outlive the buffer.
  ///
  /// - Parameter base: storage for `count` elements.
  package init(borrowing base: UnsafeMutablePointer<Element>, count: Int) {
    self.count = count
    self.base = base
    isBorrowed = true
  }

  deinit {
    if isBorrowed { return }
    LargeMemory.deallocate(base, byteCount: max(count, 1) * MemoryLayout<Element>.stride)
  }

  /// One element.
  ///
  /// - Precondition: the index is from 0 to below `count`.
  @inlinable
  public subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count, "index out of range")
      return base[index]
    }
    set {
      precondition(index >= 0 && index < count, "index out of range")
      base[index] = newValue
    }
  }

  /// Copies elements into the buffer, starting at index `start`.
  ///
  /// - Precondition: the elements fit into the buffer.
  @inlinable
  public func update(from elements: [Element], at start: Int) {
    precondition(start >= 0 && start + elements.count <= count, "elements out of range")
    elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      (base + start).update(from: first, count: elements.count)
    }
  }

  /// All elements, valid while the buffer lives.
  public var pointer: UnsafeMutableBufferPointer<Element> {
    UnsafeMutableBufferPointer(start: base, count: count)
  }

  /// A copy of all elements.
  public var array: [Element] { Array(pointer) }
}
