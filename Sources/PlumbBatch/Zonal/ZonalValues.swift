import PlumbCore
import PlumbRaster

/// The values of a batch of areas in all bands, before they are arranged in rows.
struct ZonalValues: Sendable {
  /// The number of areas.
  let areaCount: Int
  /// The number of columns of an area in a band.
  let width: Int
  /// The number of columns of an area in a band that are lists.
  let listWidth: Int
  /// The numbers of each area in each band; NaN for columns without a number, and for lists.
  private(set) var numbers: [Double]
  /// The lists as JSON; an empty string for a missing list.
  private(set) var lists: [String]
  /// The classes; empty unless classes are needed.
  private(set) var classes: [[ZonalDistribution.Entry]]
  private(set) var statuses: [ZonalStatus]
  /// The fraction of an area's size that is covered by cells with values; NaN if unknown.
  private(set) var fractions: [Double]

  /// Creates values with the status `readError`, which remains for values that are not set.
  ///
  /// - Parameters:
  ///   - width: the number of columns of an area in a band.
  ///   - listWidth: the number of columns of an area in a band that are lists.
  ///   - hasClasses: whether areas have classes instead of numbers.
  init(areas: Int, bands: Int, width: Int, listWidth: Int, hasClasses: Bool) {
    (areaCount, self.width, self.listWidth) = (areas, width, listWidth)
    let count = areas * bands
    numbers = Array(repeating: .nan, count: count * width)
    lists = Array(repeating: "", count: count * listWidth)
    classes = Array(repeating: [], count: hasClasses ? count : 0)
    statuses = Array(repeating: .readError, count: count)
    fractions = Array(repeating: .nan, count: count)
  }

  /// The size in bytes of the values of an area in a band, without lists and classes.
  static func byteCount(width: Int) -> Int {
    (width + 1) * MemoryLayout<Double>.stride + MemoryLayout<ZonalStatus>.stride
  }

  /// Returns the index of an area in a band, among the values of all areas and bands.
  func index(area: Int, band: Int) -> Int { band * areaCount + area }

  /// Returns whether the cells of an area in a band are known; only then are counts available.
  func isKnown(_ index: Int) -> Bool {
    switch statuses[index] {
    case .ok, .partial, .noData, .outside: true
    case .badArea, .readError, .transformFailed: false
    }
  }

  /// Pointers to the values. A worker sets only the values of the areas that it reads.
  struct Memory: BitwiseCopyable {
    fileprivate var numbers: UnsafeMutablePointer<Double>?
    fileprivate var lists: UnsafeMutablePointer<String>?
    fileprivate var classes: UnsafeMutablePointer<[ZonalDistribution.Entry]>?
    fileprivate var statuses: UnsafeMutablePointer<ZonalStatus>?
    fileprivate var fractions: UnsafeMutablePointer<Double>?
    fileprivate var width: Int
    fileprivate var listWidth: Int

    func set(_ index: Int, _ status: ZonalStatus, fraction: Double?) {
      statuses?[index] = status
      fractions?[index] = fraction ?? .nan
    }

    func set(_ index: Int, classes entries: [ZonalDistribution.Entry]) {
      classes?[index] = entries
    }

    func set(_ index: Int, list: Int, _ text: String) { lists?[index * listWidth + list] = text }

    /// Returns a pointer to the first number of an area in a band.
    func numbers(_ index: Int) -> UnsafeMutablePointer<Double>? {
      numbers.map { $0 + index * width }
    }
  }

  /// Calls a function with pointers to the values.
  mutating func withMemory(_ body: (Memory) throws -> Void) rethrows {
    let (width, listWidth) = (width, listWidth)
    try numbers.withUnsafeMutableBufferPointer { numbers in
      try lists.withUnsafeMutableBufferPointer { lists in
        try classes.withUnsafeMutableBufferPointer { classes in
          try statuses.withUnsafeMutableBufferPointer { statuses in
            try fractions.withUnsafeMutableBufferPointer { fractions in
              try body(
                Memory(
                  numbers: numbers.baseAddress, lists: lists.baseAddress,
                  classes: classes.baseAddress, statuses: statuses.baseAddress,
                  fractions: fractions.baseAddress, width: width, listWidth: listWidth))
            }
          }
        }
      }
    }
  }
}

/// The rows of a batch of areas.
package struct ZonalRows: Sendable {
  private let columns: ZonalColumns
  private let values: ZonalValues

  init(_ columns: ZonalColumns, _ values: ZonalValues) {
    (self.columns, self.values) = (columns, values)
  }

  /// Returns the number of rows of an area.
  func count(of area: Int) -> Int { columns.rowCount(of: area, values) }

  /// Returns the rows of an area, with the values of the added columns.
  func rows(of area: Int) -> [[FieldValue]] { columns.rows(of: area, values) }
}
