import PlumbCore

/// The coverage of areas on a grid, in parts that different workers have computed.
package struct CoverageParts: Sendable {
  /// The memory of the runs and cells of some areas, which does not change.
  private final class Part: Sendable {
    private let shared: SharedPointer<Memory>

    var memory: Memory { shared.pointer }

    init(_ memory: Memory) { shared = SharedPointer(memory) }

    deinit {
      memory.runs.deallocate()
      memory.cells.deallocate()
      memory.weights.deallocate()
    }
  }

  /// The runs and the partially covered cells of one area, by row and column.
  package struct Cells {
    /// The runs of completely covered cells.
    package var runs: UnsafeBufferPointer<CoverageStore.Run>
    /// The partially covered cells.
    package var cells: UnsafeBufferPointer<CoverageStore.Cell>
    /// The weight of each partially covered cell; empty if cells are weighted by their coverage.
    package var weights: UnsafeBufferPointer<Double>
    /// The cells that contain the area; empty if it is outside of the grid.
    package var window: CellWindow
  }

  /// The areas in the order in which they were added. Their ranges refer to a part.
  package private(set) var areas: [CoverageStore.Area] = []
  /// The index of the part of each area.
  private var partIndices: [Int32] = []
  private var parts: [Part] = []
  /// Whether cells are weighted by their coverage.
  package let isExact: Bool
  /// The size of the coverage in bytes.
  package private(set) var byteCount = 0

  /// Creates a coverage without areas.
  package init(isExact: Bool) { self.isExact = isExact }

  /// Copies the coverage of areas.
  package init(_ store: CoverageStore) {
    isExact = store.isExact
    areas = store.areas
    parts = [
      Part(
        Memory(
          runs: Self.copy([store.runs]), cells: Self.copy([store.cells]),
          weights: Self.copy([store.weights])))
    ]
    partIndices = Array(repeating: 0, count: store.areas.count)
    byteCount = store.byteCount
  }

  /// Adds areas.
  package mutating func append(_ other: CoverageParts) {
    let first = Int32(parts.count)
    areas += other.areas
    partIndices += other.partIndices.map { $0 + first }
    parts += other.parts
    byteCount += other.byteCount
  }

  /// Returns the areas in another order, in one part.
  ///
  /// - Parameter order: the indices of the areas in the new order.
  func reordered(_ order: [Int32]) -> CoverageParts {
    var coverage = CoverageParts(isExact: isExact)
    coverage.byteCount = byteCount
    coverage.partIndices = Array(repeating: 0, count: order.count)
    withPointers { pointers in
      var (runCount, cellCount) = (0, 0)
      for index in order {
        var area = areas[Int(index)]
        area.runs = runCount..<runCount + area.runs.count
        area.cells = cellCount..<cellCount + area.cells.count
        (runCount, cellCount) = (area.runs.upperBound, area.cells.upperBound)
        coverage.areas.append(area)
      }
      let cells = order.lazy.map { pointers[Int($0)] }
      coverage.parts = [
        Part(
          Memory(
            runs: Self.copy(cells.map(\.runs)), cells: Self.copy(cells.map(\.cells)),
            weights: Self.copy(cells.map(\.weights))))
      ]
    }
    return coverage
  }

  /// Copies the elements of lists, one list after another.
  private static func copy<Element>(
    _ lists: some Collection<some Collection<Element>>
  ) -> UnsafeBufferPointer<Element> {
    let count = lists.reduce(0) { $0 + $1.count }
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: count)
    var position = 0
    for list in lists { position = memory[position...].initialize(fromContentsOf: list) }
    return UnsafeBufferPointer(memory)
  }

  /// Calls a function with the runs and cells of an area, which are valid during the call.
  package func withCells<Result>(of area: Int, _ body: (Cells) -> Result) -> Result {
    let part = parts[Int(partIndices[area])]
    return withExtendedLifetime(part) { body(part.memory.cells(of: areas[area])) }
  }

  /// Pointers to the runs and cells of all areas, valid during `withPointers`.
  struct Pointers {
    fileprivate var areas: UnsafeBufferPointer<CoverageStore.Area>
    fileprivate var partIndices: UnsafeBufferPointer<Int32>
    fileprivate var parts: UnsafeBufferPointer<Memory>

    subscript(area: Int) -> Cells { parts[Int(partIndices[area])].cells(of: areas[area]) }
  }

  fileprivate struct Memory: BitwiseCopyable {
    var runs: UnsafeBufferPointer<CoverageStore.Run>
    var cells: UnsafeBufferPointer<CoverageStore.Cell>
    var weights: UnsafeBufferPointer<Double>

    func cells(of area: CoverageStore.Area) -> Cells {
      Cells(
        runs: UnsafeBufferPointer(rebasing: runs[area.runs]),
        cells: UnsafeBufferPointer(rebasing: cells[area.cells]),
        weights: UnsafeBufferPointer(rebasing: weights[weights.isEmpty ? 0..<0 : area.cells]),
        window: area.window)
    }
  }

  /// Calls a function with pointers to all areas, so that reading them needs no reference counting.
  func withPointers<Result>(_ body: (Pointers) -> Result) -> Result {
    withExtendedLifetime(parts) {
      let memory = parts.map(\.memory)
      return areas.withUnsafeBufferPointer { areas in
        partIndices.withUnsafeBufferPointer { partIndices in
          memory.withUnsafeBufferPointer {
            body(Pointers(areas: areas, partIndices: partIndices, parts: $0))
          }
        }
      }
    }
  }
}
