import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

extension Raster {
  /// Whether the files contain the dates of all of their bands.
  package var hasBandDates: Bool {
    members.allSatisfy { $0.profile.bands.allSatisfy { $0.namedDate != nil } }
  }
}

/// A raster whose files have dates: one dataset with a time axis.
package struct DatedStack: Sendable {
  /// The files of one date.
  package struct Slice: Sendable {
    package var date: ImageDate
    package var raster: Raster
    /// The indices of the files among the members of the whole raster.
    package var members: [Int]
    /// The index of the band with the date, from 0; nil if all bands have the date.
    package var band: Int?

    /// The raster of the date, with only the bands of the date.
    package func single(named name: String) throws -> Raster {
      guard let band else { return try Raster(name: name, members: raster.members) }
      return try Raster(
        name: name,
        members: raster.members.map {
          BandSelection($0, bands: [band], dates: [date], path: $0.path)
        })
    }
  }

  /// The rule by which files are grouped into dates.
  package enum Grouping: String, Sendable, CaseIterable {
    /// Files with the same time.
    case time
    /// Files of the same day in UTC.
    case day
  }

  /// All files.
  package let raster: Raster
  /// The dates in ascending order.
  package private(set) var slices: [Slice]
  /// The number of files, or of bands that are dates, with the date and the footprint of an earlier one.
  package let duplicateCount: Int
  /// The number of distinct grids.
  package let gridCount: Int
  /// Whether a date has no time of day.
  package let hasNoon: Bool
  /// Whether the files of one day form one date.
  package let isByDay: Bool
  /// Whether the bands of a file are dates.
  package let hasBandDates: Bool
  /// The rules that determine the dates of the files.
  private let dates: ImageDates
  private let grouping: Grouping?

  package var name: String { raster.name }

  /// Opens stacks whose dates are comparable. Unless a grouping is given, all stacks are grouped by
  /// day if one of them is, or if only some of them have times of day.
  ///
  /// - Throws: if a file has no date, and if rules are given although documents specify all dates.
  package static func open(
    _ rasters: [Raster], _ dates: ImageDates, grouping: Grouping?
  ) throws -> [DatedStack] {
    if !dates.isEmpty, rasters.allSatisfy({ $0.memberDates != nil }) {
      throw PlumbError(
        messageTemplate:
          "\(.dates): the items of \(rasters[0].name.printable) have their own dates",
        code: .badOption)
    }
    return try comparable(rasters.map { try DatedStack($0, dates, grouping: grouping) })
  }

  /// Returns stacks whose dates are comparable. If any stack is grouped by day or has no times of day,
  /// all stacks without a grouping are grouped by day.
  package static func comparable(_ stacks: [DatedStack]) throws -> [DatedStack] {
    guard stacks.contains(where: { $0.isByDay || !$0.hasTimes }),
      stacks.contains(where: { $0.grouping == nil && !$0.isByDay && $0.hasTimes })
    else { return stacks }
    return try stacks.map {
      $0.grouping == nil ? try DatedStack($0.raster, $0.dates, grouping: .day) : $0
    }
  }

  /// - Parameter grouping: nil to group by day if files of one day have several footprints, or are the items of a
  ///   STAC document; otherwise by time.
  /// - Throws: if a file has no date, if files are grouped by day and one file has several times on a day,
  ///   and if files have the same date in different bands.
  package init(
    _ raster: Raster, _ dates: ImageDates, grouping: Grouping? = nil
  ) throws {
    var footprints: [Footprint: Int] = [:]
    var files: [(member: Int, band: Int?, date: ImageDate, footprint: Int)] = []
    var fields = MessageFields()
    for (index, member) in raster.members.enumerated() {
      let footprint = Footprint(member.profile)
      let number = footprints[footprint] ?? footprints.count
      footprints[footprint] = number
      if let dates = raster.memberDates?.dates {
        files.append((index, nil, dates[index], number))
      } else if let bandDates = try dates.bandDates(of: member) {
        try fields.add(member, named: raster.name)
        files += bandDates.enumerated().map { (index, $0, $1, number) }
      } else {
        files.append((index, nil, try dates.date(of: member), number))
      }
    }
    hasBandDates = files.contains { $0.band != nil }
    let isMixed = footprints.count > 1 && !hasBandDates
    let byDay = grouping.map { $0 == .day } ?? (isMixed || raster.memberDates != nil)
    isByDay = byDay
    if byDay {
      for index in files.indices where files[index].date.hasTime {
        let day = files[index].date.microseconds.floorDivided(by: ImageDate.day)
        files[index].date = ImageDate(
          microseconds: day * ImageDate.day + ImageDate.noon, hasTime: false)
      }
    }
    files.sort {
      ($0.date.microseconds, raster.members[$0.member].path, $0.member, $0.band ?? 0)
        < ($1.date.microseconds, raster.members[$1.member].path, $1.member, $1.band ?? 0)
    }
    var slices: [Slice] = []
    var rasters: [[Int]: Raster] = [:]
    var duplicates = 0
    var start = 0
    while start < files.count {
      var end = start + 1
      while end < files.count, files[end].date.microseconds == files[start].date.microseconds {
        end += 1
      }
      let group = files[start..<end]
      duplicates += group.count - Set(group.map(\.footprint)).count
      // If two bands of one file have the same date, the first is used.
      let band = files[start].band
      if byDay,
        let other = group.first(where: { $0.member == files[start].member && $0.band != band })
      {
        throw PlumbError(
          messageTemplate: "\(raster.members[other.member].path.printable) has several times on "
            + "\(files[start].date.text): set \(.group, Grouping.time.rawValue)", code: .badInput)
      }
      let members = group.filter { $0.band == band }.map(\.member)
      guard Set(members).count == Set(group.map(\.member)).count else {
        throw PlumbError(
          "\(raster.name.printable): the files with the date \(files[start].date.text) have it in "
            + "different bands", code: .unsupported)
      }
      let known = band == nil ? nil : rasters[members]
      let whole =
        try known ?? Raster(name: raster.name, members: members.map { raster.members[$0] })
      rasters[members] = whole
      slices.append(
        Slice(
          date: group.first(where: \.date.hasTime)?.date ?? files[start].date, raster: whole,
          members: members, band: band))
      start = end
    }
    (self.raster, self.slices, duplicateCount) = (raster, slices, duplicates)
    (self.dates, self.grouping) = (dates, grouping)
    gridCount = footprints.count
    hasNoon = slices.contains { !$0.date.hasTime }
  }

  /// The bands of each date.
  ///
  /// - Parameter chosen: the bands that are read, from 0; nil for all.
  package func bands(_ chosen: [Int]?) -> [Band] {
    if hasBandDates { return [raster.bands[0]] }
    return (chosen ?? Array(raster.bands.indices)).map { raster.bands[$0] }
  }

  /// The request for a date.
  ///
  /// - Parameter chosen: the bands that are read, from 0; nil for all.
  package func request(_ slice: Slice, _ chosen: [Int]?) -> RasterSampler.Request {
    request(of: slice.raster, band: slice.band, chosen)
  }

  /// The request for all files. Its columns are equal to those of the request for a single date.
  ///
  /// - Parameter chosen: the bands that are read, from 0; nil for all.
  package func request(_ chosen: [Int]?) -> RasterSampler.Request {
    request(of: raster, band: hasBandDates ? 0 : nil, chosen)
  }

  private func request(
    of raster: Raster, band: Int?, _ chosen: [Int]?
  ) -> RasterSampler.Request {
    var request = RasterSampler.Request(raster, bands: band.map { [$0] } ?? chosen)
    request.numbersBands = band == nil
    return request
  }

  /// - Parameter chosen: the bands that are read, from 0; nil for all.
  /// - Throws: if bands are chosen although each band is a date.
  package func check(_ chosen: [Int]?) throws(PlumbError) {
    if hasBandDates, chosen != nil {
      throw PlumbError(
        messageTemplate: "\(.band): the bands of \(name.printable) are its dates", code: .badOption)
    }
  }

  /// The stack restricted to the dates in a period, whose ends are inclusive.
  ///
  /// - Throws: if no date remains.
  package func limited(to first: Int64?, _ last: Int64?) throws -> DatedStack {
    let (first, last) = (first ?? .min, last ?? .max)
    var stack = self
    stack.slices.removeAll { $0.date.microseconds < first || $0.date.microseconds > last }
    guard !stack.slices.isEmpty else {
      throw PlumbError(
        messageTemplate: "\(name.printable) has no date in the period of \(.from) and \(.to)",
        code: .badOption)
    }
    return stack
  }

  /// The parameter and the level of the messages of GRIB files.
  private struct MessageFields {
    private var first: (field: GRIBField, path: String)?

    /// - Throws: if the messages of another file have another parameter or level.
    mutating func add(_ member: any TileSource, named name: String) throws {
      guard let field = (member as? GDALRasterSource)?.details.messages.first else { return }
      guard let first else {
        first = (field, member.path)
        return
      }
      guard first.field.name == field.name else {
        throw PlumbError(
          "\(name.printable): \(first.path.printable) has \(first.field.name.printable), and "
            + "\(member.path.printable) has \(field.name.printable); name one of them after #",
          code: .badInput)
      }
    }
  }

  /// The cells that a file covers.
  private struct Footprint: Hashable {
    var (width, height): (Int, Int)
    var mapping: GridMapping
    var reference: String?

    init(_ profile: RasterProfile) {
      (width, height) = (profile.grid.width, profile.grid.height)
      (mapping, reference) = (profile.mapping, profile.reference)
    }
  }

  /// Whether dates are written with a time of day.
  package var hasTimes: Bool { slices.contains(where: \.date.hasTime) }

  /// The dates as ISO 8601, all with times of day if one has a time of day.
  package var dateTexts: [String] {
    slices.map {
      ImageDate(microseconds: $0.date.microseconds, hasTime: hasTimes).text
    }
  }

  /// The index of the slice with a date; nil if there is none.
  package func index(of date: Int64) -> Int? {
    var (low, high) = (0, slices.count)
    while low < high {
      let middle = (low + high) / 2
      if slices[middle].date.microseconds < date { low = middle + 1 } else { high = middle }
    }
    return low < slices.count && slices[low].date.microseconds == date ? low : nil
  }

  /// Warnings for the user about the axis.
  package var warnings: [String] {
    var lines = raster.memberDates?.warnings ?? []
    if duplicateCount > 0, hasBandDates, raster.members.count == 1 {
      let (bands, verb) = duplicateCount == 1 ? ("band", "has") : ("bands", "have")
      lines.append(
        "\(name.printable): \(duplicateCount) \(bands) \(verb) the date of an earlier band, such as members of an "
          + "ensemble or overlapping forecasts; only the first band of a date is used")
    } else if duplicateCount > 0 {
      let item = hasBandDates ? "band" : "file"
      let (items, verb) = duplicateCount == 1 ? (item, "has") : (item + "s", "have")
      lines.append(
        "\(name.printable): \(duplicateCount) \(items) \(verb) the date and the footprint of another "
          + "\(item); where both have values, the first file by name is used")
    } else {
      let count = slices.count { slice in
        Self.overlap(slice.raster.members.map(\.profile))
      }
      if count > 0 {
        lines.append(
          "\(name.printable): files overlap on \(count) \(count == 1 ? "date" : "dates"); where "
            + "several have a value, the first file by name is used")
      }
    }
    if let first = raster.members.first {
      let others = raster.members.count { !Self.haveSameCells($0.profile, first.profile) }
      if others > 0 {
        lines.append(
          "\(name.printable): \(others) of \(raster.members.count) files have another CRS or cell size "
            + "than \(first.path.printable)")
      }
    }
    return lines
  }

  // MARK: Grids of the files

  /// Whether two rasters have the same CRS and cells of the same size.
  private static func haveSameCells(_ first: RasterProfile, _ second: RasterProfile) -> Bool {
    guard case .affine(let a) = first.mapping, case .affine(let b) = second.mapping else {
      return true
    }
    func isNear(_ x: Double, _ y: Double) -> Bool {
      (x - y).magnitude <= 1e-6 * max(x.magnitude, y.magnitude)
    }
    return first.reference == second.reference && isNear(a.columnX, b.columnX)
      && isNear(a.columnY, b.columnY) && isNear(a.rowX, b.rowX) && isNear(a.rowY, b.rowY)
  }

  /// Whether any two rasters of one CRS have an area in common. Rotated rasters are ignored.
  private static func overlap(_ profiles: [RasterProfile]) -> Bool {
    guard profiles.count > 1 else { return false }
    let references = Dictionary(grouping: profiles) { $0.reference ?? "" }
    return references.values.contains { profiles in
      let boxes = profiles.compactMap(box).sorted { $0.x.lowerBound < $1.x.lowerBound }
      return boxes.indices.contains { index in
        // Adjacent tiles may overlap by the rounding error of their coordinates.
        let box = boxes[index]
        let (marginX, marginY) = (
          1e-3 * (box.x.upperBound - box.x.lowerBound), 1e-3 * (box.y.upperBound - box.y.lowerBound)
        )
        return boxes[(index + 1)...].prefix { $0.x.lowerBound < box.x.upperBound - marginX }
          .contains {
            min($0.y.upperBound, box.y.upperBound) - max($0.y.lowerBound, box.y.lowerBound)
              > marginY
          }
      }
    }
  }

  /// The extent of a raster; nil if it is rotated or has no affine transform.
  private static func box(
    _ profile: RasterProfile
  ) -> (x: ClosedRange<Double>, y: ClosedRange<Double>)? {
    guard case .affine(let transform) = profile.mapping, transform.columnY == 0,
      transform.rowX == 0
    else { return nil }
    let start = transform.coordinates(column: 0, row: 0)
    let end = transform.coordinates(
      column: Double(profile.grid.width), row: Double(profile.grid.height))
    guard start.x.isFinite, start.y.isFinite, end.x.isFinite, end.y.isFinite else { return nil }
    return (min(start.x, end.x)...max(start.x, end.x), min(start.y, end.y)...max(start.y, end.y))
  }
}
