import Plumb
import PlumbBatch
import PlumbCore
import PlumbRaster

extension Zonal {
  /// Whether a raster has dates.
  ///
  /// - Parameter hasBands: whether the request selects bands by number. Band names that look like dates
  ///   are then not interpreted as dates.
  static func hasDates(_ raster: Raster, hasBands: Bool) -> Bool {
    raster.hasDates || !hasBands && raster.bands.allSatisfy { ImageDate(text: $0.name) != nil }
  }
}

extension Zonal.Rasters {
  /// Replaces rasters with dates by one raster for each date, named NAME_DATE.
  ///
  /// - Throws: if a file has no date, or if no date is in the period of the request.
  mutating func divide(_ request: Zonal.Request, in context: RunContext) throws {
    let files = try ImageDates(request.dates, access: context.access)
    let period = try DatePeriod(from: request.from, to: request.to)
    let stacks: [DatedStack?] =
      request.dates.isEmpty
      ? try rasters.map {
        Zonal.hasDates($0, hasBands: !request.bands.isEmpty)
          ? try DatedStack($0, files, grouping: request.grouping) : nil
      }
      : try DatedStack.open(rasters, files, grouping: request.grouping)
    var divided: [Raster] = []
    for (raster, stack) in zip(rasters, stacks) {
      guard let stack else {
        divided.append(raster)
        names.append(raster.name)
        dates.append(nil)
        continue
      }
      if stack.hasBandDates, !request.bands.isEmpty {
        throw PlumbError(
          messageTemplate: "\(.band): the bands of \(raster.name.printable) are its dates",
          code: .badOption)
      }
      for line in stack.warnings { context.warn(MessageTemplate(line)) }
      let slices = try period.slices(of: stack)
      for slice in slices {
        let name = "\(stack.name)_\(slice.date.columnText)"
        divided.append(try slice.single(named: name))
        names.append(name)
        dates.append(DatedName(raster: stack.name, date: slice.date.text))
      }
    }
    rasters = divided
  }
}
