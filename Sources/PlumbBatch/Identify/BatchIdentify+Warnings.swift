import PlumbCore
import PlumbFormats

extension BatchIdentify {
  /// A line for the user when the points look as if x and y had been exchanged; see
  /// `PointWarnings`.
  package func exchangeHint(_ summary: Summary) -> Wording? {
    let asked = summary.statuses.map { summary.rows - ($0[.badPoint] ?? 0) }.max() ?? summary.rows
    return PointWarnings(
      x: extent.samples.x, y: extent.samples.y, reference: source.reference
    ).exchangeHint(
      columns: columnAdvice,
      latitudes: "latitudes span \(extent.y.lowerBound)…\(extent.y.upperBound), longitudes "
        + "\(extent.x.lowerBound)…\(extent.x.upperBound)", source.rasters, of: source.map,
      off: summary.statuses.map { ($0[.outside] ?? 0) + ($0[.transformFailed] ?? 0) }, of: asked)
  }

  /// Which columns were taken, in words.
  private var columnAdvice: Wording {
    guard case .delimited(_, let columns) = input.kind, !columns.isWKT else { return "" }
    let names = input.fields.map(\.name.printable)
    return " (x is longitude or easting; it was read from the column \(names[columns.x]), y from "
      + "\(names[columns.y]); try \(.xColumn) \(names[columns.y]) \(.yColumn) \(names[columns.x]))"
  }
}
