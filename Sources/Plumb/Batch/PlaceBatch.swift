import PlumbCore
import PlumbFormats
import PlumbGDAL

/// Some consecutive rows of places, with what is needed to write them out again.
final class PlaceBatch {
  enum Rows {
    /// The parts of a block of delimited text, and the first row of each.
    case delimited(DelimitedBlock, [DelimitedPart], firstRows: [Int], delimiter: UInt8)
    case geoJSON(GeoJSONBatch)
    case vector(VectorBatch)
  }

  let count: Int
  let x: TrivialBuffer<Double>
  let y: TrivialBuffer<Double>
  let status: TrivialBuffer<UInt8>
  let rows: Rows
  /// The number of rows before it.
  var firstRow = 0
  /// Lines, or features counted from 1, of the rows without a usable point, and why they have none.
  let badLines: [(line: Int, fault: PointFault)]

  init(
    count: Int, x: TrivialBuffer<Double>, y: TrivialBuffer<Double>, status: TrivialBuffer<UInt8>,
    rows: Rows, badLines: [(line: Int, fault: PointFault)]
  ) {
    self.count = count
    self.x = x
    self.y = y
    self.status = status
    self.rows = rows
    self.badLines = badLines
  }

  convenience init(
    x: [Double], y: [Double], isBad: [Bool], faults: [PointFault], rows: Rows, line: (Int) -> Int
  ) {
    let status = TrivialBuffer<UInt8>(count: x.count)
    for i in x.indices {
      status.base[i] = (isBad[i] ? PlaceStatus.badPlace : .ok).rawValue
    }
    self.init(
      count: x.count, x: TrivialBuffer(x), y: TrivialBuffer(y), status: status, rows: rows,
      badLines: isBad.indices.filter { isBad[$0] }.map { (line($0), faults[$0]) })
  }

  var coordinates: PlaceCoordinates {
    PlaceCoordinates(x: x.base, y: y.base, status: status.base, count: count)
  }

  func place(_ row: Int) -> (x: Double, y: Double)? {
    status.base[row] == PlaceStatus.ok.rawValue ? (x.base[row], y.base[row]) : nil
  }
}
