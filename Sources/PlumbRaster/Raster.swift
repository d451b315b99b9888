import PlumbCore
import Synchronization

/// A named raster: one file, or a mosaic of files in a fixed order in which the first that has a
/// value at a point answers for it.
public final class Raster: Sendable {
  /// What columns and results call it.
  public let name: String
  /// The files, in the order in which they are asked.
  public let members: [any TileSource]
  /// The bands of the whole: each of a type that holds every member's.
  public let bands: [Band]
  /// The bands that say of others, in some member, where those are transparent.
  let alphaBands: Set<Int>
  /// The distinct spatial references of the members; nil stands for none.
  public var references: [String?] { mosaicReferences ?? [members[0].profile.reference] }
  /// Known for mosaics; a single file is asked only when somebody asks here.
  private let mosaicReferences: [String?]?
  /// For each member the index of its reference in `references`.
  public let memberReferences: [Int]

  /// The number of the raster's first member in the process, by which the cache knows its tiles.
  let firstSourceID: UInt32

  private static let nextSourceID = Atomic<UInt32>(0)
  /// By the power of two of their cells' width; nil for the raster itself.
  private let overviews = Mutex<[Int: Raster?]>([:])

  /// - Throws: when there is no member, or the members differ in their number of bands or have
  ///   types that no one type holds.
  public init(name: String, members: [any TileSource]) throws(RasterError) {
    guard let first = members.first else { throw RasterError("\(name): no raster files") }
    var bands = first.profile.bands
    var references: [String?] = []
    var memberReferences: [Int] = []
    for member in members {
      let profile = member.profile
      guard profile.bands.count == bands.count else {
        throw RasterError(
          "\(member.path) has \(profile.bands.count) bands and \(first.path) has \(bands.count); "
            + "the tiles of one mosaic need the same bands")
      }
      for (index, band) in profile.bands.enumerated() {
        guard let type = PixelType.union(bands[index].pixelType, band.pixelType) else {
          throw RasterError(
            "\(member.path) holds \(band.pixelType.name) and \(first.path) "
              + "\(bands[index].pixelType.name); no one type holds both exactly")
        }
        guard band.scale == bands[index].scale, band.offset == bands[index].offset else {
          throw RasterError(
            "\(member.path) and \(first.path) differ in scale or offset; "
              + "the tiles of one mosaic need the same")
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
    self.bands = bands
    alphaBands = members.reduce(into: []) { known, member in
      for case .alpha(let band) in member.profile.bands.lazy.map(\.validity) { known.insert(band) }
    }
    mosaicReferences = members.count == 1 ? nil : references
    self.memberReferences = memberReferences
    firstSourceID =
      Self.nextSourceID.wrappingAdd(UInt32(members.count), ordering: .relaxed).oldValue
  }

  /// The raster for pictures that show less than all of its cells: with the largest cells that its
  /// files have up to a power of two not above `factor` times as wide; itself where they have none.
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
