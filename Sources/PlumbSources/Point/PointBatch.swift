import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbRaster

/// Consecutive rows of points, with the data needed to write them again.
package final class PointBatch: Sendable {
  package enum Rows: Sendable {
    case delimited(DelimitedRows)
    case geoJSON(GeoJSONBatch)
    case vector(VectorBatch)
    case columnar(ColumnarBatch)
  }

  package let count: Int
  package let x: TrivialBuffer<Double>
  package let y: TrivialBuffer<Double>
  package let status: TrivialBuffer<UInt8>
  package let rows: Rows
  /// The number of rows before the batch.
  package let firstRow: Int
  /// The rows without a usable point, with the reasons. `line` is the number of the line, or of the
  /// feature, from 1.
  package let badLines: [(line: Int, fault: PointFault)]

  package init(
    count: Int, x: TrivialBuffer<Double>, y: TrivialBuffer<Double>, status: TrivialBuffer<UInt8>,
    rows: Rows, badLines: [(line: Int, fault: PointFault)], firstRow: Int
  ) {
    self.count = count
    self.x = x
    self.y = y
    self.status = status
    self.rows = rows
    self.badLines = badLines
    self.firstRow = firstRow
  }

  package convenience init(
    x: [Double], y: [Double], isBad: [Bool], faults: [PointFault], rows: Rows, firstRow: Int,
    line: (Int) -> Int
  ) {
    let status = TrivialBuffer<UInt8>(count: x.count)
    for i in x.indices {
      status.base[i] = (isBad[i] ? SampleStatus.badPoint : .ok).rawValue
    }
    self.init(
      count: x.count, x: TrivialBuffer(x), y: TrivialBuffer(y), status: status, rows: rows,
      badLines: isBad.indices.filter { isBad[$0] }.map { (line($0), faults[$0]) },
      firstRow: firstRow)
  }

  package var coordinates: PointCoordinates {
    PointCoordinates(x: x.base, y: y.base, status: status.base, count: count)
  }

  package func point(_ row: Int) -> (x: Double, y: Double)? {
    status.base[row] == SampleStatus.ok.rawValue ? (x.base[row], y.base[row]) : nil
  }
}
