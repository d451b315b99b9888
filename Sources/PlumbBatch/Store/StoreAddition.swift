import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster

/// A store to which dates are added, after a check that the dates fit.
struct StoreAddition {
  /// The number of dates that the store has.
  let dateCount: Int
  /// The layouts of the variables with the new dates.
  private(set) var arrays: [ZarrArray] = []
  /// All dates of the axis.
  let times: StoreTimes
  /// The content of each metadata file of the store.
  let files: [String: [UInt8]]
  /// Whether the consolidated metadata of the store say that all chunks exist.
  let isComplete: Bool
  /// Whether only Plumb has written the metadata of the store.
  let isUnchanged: Bool

  /// - Throws: if the folder is not a store of this layout, if its variables differ from the
  ///   stacks, or if a date is not after the dates of the store.
  init(
    _ path: String, _ metadata: StoreMetadata, _ variables: [StoreVariable], _ dates: [ImageDate]
  ) throws {
    guard FileKind(path: path) == .folder, let store = try ZarrStore(folder: path),
      let known = store.consolidated
    else {
      throw PlumbError(
        "\(path.printable) is not a Zarr store of version 2 with consolidated metadata")
    }
    files = known.mapValues(\.bytes)
    (isComplete, isUnchanged) = (store.isComplete, store.reference != nil)
    let names = try store.dataNames()
    guard Set(names) == Set(variables.map(\.name)) else {
      throw PlumbError(
        "\(path.printable) has the variables \(names.map(\.printable).joined(separator: ", ")), and the stacks are "
          + "\(variables.map(\.name.printable).joined(separator: ", ")); give one stack for each variable"
      )
    }
    let axis = try Self.times(of: store)
    for variable in variables {
      guard var array = try store.array(variable.name), array.shape.count == 3,
        array.shape[0] == axis.values.count, case .zstd = array.compression
      else {
        throw PlumbError(
          "\(path.printable)#\(variable.name.printable) has a layout or compression that plumb stack "
            + "does not write",
          code: .unsupported)
      }
      try Self.checkGrid(store, metadata, array)
      try Self.check(variable, array, store)
      array.shape[0] += dates.count
      array.isComplete = store.isComplete || array.fill == nil
      arrays.append(array)
    }
    dateCount = axis.values.count
    times = try Self.extended(axis, dates, path)
  }

  private static func checkGrid(
    _ store: ZarrStore, _ metadata: StoreMetadata, _ array: ZarrArray
  ) throws {
    let mapping = try store.attributes(StoreMetadata.mappingName)
    let isSame =
      array.shape.dropFirst().elementsEqual([metadata.grid.height, metadata.grid.width])
      && mapping["GeoTransform"] == .text(metadata.transformText)
      && mapping["crs_wkt"] == metadata.wkt.map { JSONTree.text($0) }
    guard isSame else {
      throw PlumbError(
        "\(metadata.grid.path.printable) and \(store.folder.printable) have different grids; files of a store have the "
          + "same grid, and they are not resampled: warp them to it first", code: .unsupported)
    }
  }

  private static func check(
    _ variable: StoreVariable, _ array: ZarrArray, _ store: ZarrStore
  ) throws {
    let path = "\(store.folder.printable)#\(variable.name.printable)"
    let attributes = try store.attributes(variable.name)
    let (scale, offset) = (
      number(attributes["scale_factor"]) ?? 1, number(attributes["add_offset"]) ?? 0
    )
    let difference: String
    if array.type != variable.type {
      difference = "the type \(array.type.name), and the files \(variable.type.name)"
    } else if array.fill?.json != variable.fill?.json {
      difference =
        "the fill value \(array.fill?.json ?? "none"), and the files \(variable.fill?.json ?? "none")"
    } else if scale != (variable.isScaled ? 1 : variable.scale)
      || offset != (variable.isScaled ? 0 : variable.offset)
    {
      difference = "a different scale or offset from the files"
    } else {
      return
    }
    let isScaled = array.type.isFloatingPoint && !variable.isScaled
    throw PlumbError(
      messageTemplate: "\(path) has \(difference)", code: .unsupported,
      remedies: isScaled ? ["a store of scaled values needs \(.scaled) again"] : [])
  }

  private static func number(_ tree: JSONTree?) -> Double? {
    switch tree {
    case .integer(let number)?: Double(number)
    case .real(let number)?: number
    default: nil
    }
  }

  /// The time axis of a store.
  private static func times(of store: ZarrStore) throws -> StoreTimes {
    let name = StoreMetadata.timeName
    let attributes = try store.attributes(name)
    guard var array = try store.array(name), array.shape.count == 1, array.type == .int64,
      array.chunks == [StoreMetadata.timesPerChunk],
      let unit = StoreTimes.Unit.allCases.first(where: { attributes["units"] == .text($0.text) }),
      attributes["calendar"] == .text("proleptic_gregorian")
    else {
      throw PlumbError(
        "\(store.folder.printable) does not have an axis of time as plumb stack writes it",
        code: .unsupported)
    }
    array.isComplete = true
    do {
      return StoreTimes(unit, try array.values(in: store.files, name: name, Int64(0)))
    } catch {
      throw PlumbError("\(store.folder.printable)/\(name)", error)
    }
  }

  /// Returns the time axis with the given dates appended.
  private static func extended(
    _ axis: StoreTimes, _ dates: [ImageDate], _ path: String
  ) throws -> StoreTimes {
    guard let values = StoreTimes.values(dates, axis.unit) else {
      let other = dates.first { StoreTimes.values([$0], axis.unit) == nil }
      throw PlumbError(
        "\(path.printable) has times in \(axis.unit.rawValue), which do not represent \(other?.text ?? "a date")",
        code: .unsupported)
    }
    let known = Set(axis.values)
    if let same = values.first(where: known.contains) {
      throw PlumbError("\(path.printable) already has the date \(axis.text(same))")
    }
    if let last = axis.values.last, let early = values.first(where: { $0 <= last }) {
      throw PlumbError(
        "\(axis.text(early)) is before \(axis.text(last)), the last date of \(path.printable); dates are added after "
          + "it")
    }
    return StoreTimes(axis.unit, axis.values + values)
  }
}
