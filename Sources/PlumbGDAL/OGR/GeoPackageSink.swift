import CGDAL
import PlumbCore
import PlumbIO

/// Writes rows directly into the table that GDAL has created in a GeoPackage, because GDAL 3.6
/// would update the spatial index row by row.
final class GeoPackageSink: VectorRowSink {
  /// The table. It is nil after it is finished, so that the file is closed before it is read.
  private var table: GeoPackageTable?
  private let columns: [VectorColumn]

  /// Closes the layer's dataset. From then on, this object owns the file.
  ///
  /// - Throws: if GDAL cannot write the empty layer.
  init(_ made: NewVectorLayer, path: String) throws(GDALError) {
    columns = made.columns
    let names = GeoPackageTable.Names(
      layer: made.name, number: Self.text(OGR_L_GetFIDColumn(made.layer)),
      geometry: Self.text(OGR_L_GetGeometryColumn(made.layer)), columns: columns.map(\.name))
    CPLErrorReset()
    made.dataset.close()
    guard CPLGetLastErrorType().rawValue < CE_Failure.rawValue else {
      throw GDALError(
        "\(path.printable): \(GDALLibrary.lastError("the layer cannot be written"))")
    }
    table = try GeoPackageTable(path: path, names)
  }

  private static func text(_ name: UnsafePointer<CChar>?) -> String {
    name.map { String(cString: $0) } ?? ""
  }

  func append(
    _ shape: VectorRowShape, kind: String, _ values: [FieldValue]
  ) throws(GDALError) {
    guard let table else { return }
    try table.begin(shape)
    for (index, value) in values.enumerated() {
      switch try columns[index].stored(value) {
      case .null: table.setNull(index)
      case .integer(let integer): table.set(integer, index)
      case .real(let real): table.set(real, index)
      case .text(let text): table.set(text, index)
      case .data(let data): table.set(data, index)
      case .parsed(let text):
        guard let time = GeoPackageTime.text(text, isDate: columns[index].type == OFTDate) else {
          throw columns[index].misfit(value)
        }
        table.set(time, index)
      }
    }
    try table.end()
  }

  func flush() {}

  func finish() throws(GDALError) {
    let finished = table
    table = nil
    try finished?.finish()
  }
}

/// Dates and times in GDAL's format for GeoPackages.
enum GeoPackageTime {
  /// Parses a string as OGR does. Returns a date, or a time with milliseconds and, if present, the
  /// time zone; nil if OGR cannot parse the string.
  static func text(_ text: String, isDate: Bool) -> String? {
    var field = OGRField()
    guard OGRParseDate(text, &field, 0) != 0 else { return nil }
    let read = field.Date
    let date = ISOTime.dateText(
      CivilDate(year: Int64(read.Year), month: Int64(read.Month), day: Int64(read.Day)))
    if isDate { return date }
    let milliseconds = Int64((Double(max(0, read.Second)) * 1000).rounded(.toNearestOrEven))
    let time = ISOTime.timeText(
      Int64(read.Hour), Int64(read.Minute), milliseconds / 1000, milliseconds % 1000)
    let fraction = milliseconds % 1000 == 0 ? ".000" : ""
    return date + "T" + time + fraction + zone(Int64(read.TZFlag))
  }

  /// - Parameter flag: OGR's time zone flag: 0 for an unknown zone, 1 for local time, otherwise 100
  ///   plus the offset from UTC in quarter hours.
  private static func zone(_ flag: Int64) -> String {
    guard flag > 1, flag != 100 else { return flag == 100 ? "Z" : "" }
    let quarters = abs(flag - 100)
    let offset = ISOTime.timeText(quarters / 4, quarters % 4 * 15, 0, 0).dropLast(3)
    return (flag < 100 ? "-" : "+") + offset
  }
}
