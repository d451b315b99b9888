/// Fixed storage for elements without reference counts, uninitialised or zeroed, freed with the
/// object. The hot loops take its pointer once and index that.
///
/// - Invariant: threads that share a buffer write disjoint elements, and read what none writes.
public final class TrivialBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  /// How many elements there are; fixed.
  public let count: Int
  /// The address of the first element, valid while the buffer lives.
  public let base: UnsafeMutablePointer<Element>
  /// Whether the memory is somebody else's.
  private let isBorrowed: Bool

  /// - Parameters:
  ///   - count: how many elements the buffer holds.
  ///   - zeroed: whether all bytes start as zero; else the content is undefined.
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

  /// Holds a copy of the elements.
  public convenience init(_ elements: some Collection<Element>) {
    self.init(count: elements.count)
    _ = UnsafeMutableBufferPointer(start: base, count: count).initialize(from: elements)
  }

  /// Takes memory that somebody else holds, for at least as long as the buffer lives.
  ///
  /// - Parameter base: room for `count` elements.
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

  /// Takes over some elements, the first of them as number `start`.
  ///
  /// - Precondition: they fit.
  @inlinable
  public func update(from elements: [Element], at start: Int) {
    precondition(start >= 0 && start + elements.count <= count, "elements out of range")
    elements.withUnsafeBufferPointer { elements in
      guard let first = elements.baseAddress else { return }
      (base + start).update(from: first, count: elements.count)
    }
  }

  /// All elements in place, valid while the buffer lives.
  public var pointer: UnsafeMutableBufferPointer<Element> {
    UnsafeMutableBufferPointer(start: base, count: count)
  }

  /// A copy of all elements.
  public var array: [Element] { Array(pointer) }
}
