import PlumbCore
import Synchronization

/// A named raster: one file, or a mosaic of files in a fixed order. At each point, the value is
/// read from the first file that has a value.
public final class Raster: Sendable {
  /// The name of the raster in column names and results.
  public let name: String
  /// The files, in the order in which they are read.
  public let members: [any TileSource]
  /// The bands of the raster or mosaic, each with a type that can represent the values of all
  /// members.
  public let bands: [Band]
  /// The indices of the bands that at least one member uses as an alpha band.
  let alphaBands: Set<Int>
  /// The distinct CRSs of the members; nil for members without a CRS.
  public var references: [String?] { mosaicReferences ?? [members[0].profile.reference] }
  /// The CRSs of a mosaic; nil for a single file, whose CRS is determined on demand.
  private let mosaicReferences: [String?]?
  /// For each member, the index of its CRS in `references`.
  public let memberReferences: [Int]

  /// The dates of the members; nil if no document lists them.
  package let memberDates: MemberDates?

  /// The process-wide number of the raster's first member, which identifies its tiles in the cache.
  let firstSourceID: UInt32

  private static let nextSourceID = Atomic<UInt32>(0)
  /// The overviews used so far, by the binary logarithm of the maximum cell width in cells of the
  /// raster; the value is nil if the raster itself is used.
  private let overviews = Mutex<[Int: Raster?]>([:])

  /// - Throws: if there are no members, if the members differ in their number of bands, scale or
  ///   offset, or if no single type can represent the types of a band.
  public convenience init(name: String, members: [any TileSource]) throws(RasterError) {
    try self.init(name: name, members: members, dates: nil)
  }

  /// - Parameter dates: the dates of the members; nil if no document lists them.
  package init(
    name: String, members: [any TileSource], dates: MemberDates?
  ) throws(RasterError) {
    guard let first = members.first else { throw RasterError("\(name): no raster files") }
    var bands = first.profile.bands
    var references: [String?] = []
    var memberReferences: [Int] = []
    for member in members {
      let profile = member.profile
      guard profile.bands.count == bands.count else {
        throw RasterError(
          "\(member.path) has \(profile.bands.count) bands and \(first.path) has \(bands.count); "
            + "the files of one raster have the same bands")
      }
      for (index, band) in profile.bands.enumerated() {
        guard let type = PixelType.union(bands[index].pixelType, band.pixelType) else {
          throw RasterError(
            "\(member.path) holds \(band.pixelType.name) and \(first.path) "
              + "\(bands[index].pixelType.name); no single type represents both exactly")
        }
        guard band.scale == bands[index].scale, band.offset == bands[index].offset else {
          throw RasterError(
            "\(member.path) and \(first.path) differ in scale or offset; "
              + "the files of one raster have the same")
        }
        bands[index].pixelType = type
      }
      if members.count == 1 {
        memberReferences = [0]
      } else if let known = references.firstIndex(of: profile.reference) {
        memberReferences.append(known)
      } else {
        memberReferences.append(references.count)
        references.append(profile.reference)
      }
    }
    self.name = name
    self.members = members
    memberDates = dates
    self.bands = bands
    alphaBands = members.reduce(into: []) { known, member in
      for case .alpha(let band) in member.profile.bands.lazy.map(\.validity) { known.insert(band) }
    }
    mosaicReferences = members.count == 1 ? nil : references
    self.memberReferences = memberReferences
    firstSourceID =
      Self.nextSourceID.wrappingAdd(UInt32(members.count), ordering: .relaxed).oldValue
  }

  /// Returns the raster to use for pictures at reduced resolution. It uses the overviews with the
  /// largest cells that are at most `factor` times as wide as the raster's cells, where `factor` is
  /// rounded down to a power of two. Returns the raster itself if the files have no such overviews.
  package func overview(atMost factor: Double) -> Raster {
    guard factor >= 2 else { return self }
    var power = 1
    while power < 30, Double(2 << power) <= factor { power += 1 }
    return overviews.withLock { known in
      if let found = known[power] { return found ?? self }
      let smaller = members.map { $0.overview(atMost: Double(1 << power)) }
      var made: Raster?
      if smaller.contains(where: { $0 != nil }) {
        made = try? Raster(name: name, members: zip(smaller, members).map { $0 ?? $1 })
      }
      if WorkCancellation.isCurrentCancelled { return made ?? self }
      known[power] = .some(made)
      return made ?? self
    }
  }

  /// Whether there are several files.
  public var isMosaic: Bool { members.count > 1 }
}
