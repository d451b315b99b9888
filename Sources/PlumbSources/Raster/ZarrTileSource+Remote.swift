import PlumbFormats
import PlumbRaster
import Synchronization

extension ZarrTileSource {
  package var isRemote: Bool { remote != nil }

  private var remote: RemoteStoreFiles? {
    if case .remote(let files) = store.files { files } else { nil }
  }

  package var fetched: FetchCost {
    guard let sum = remote?.statistics else { return FetchCost() }
    return FetchCost(requests: sum.requests, bytes: sum.bytes, retries: sum.retries)
  }

  /// The number of requests for tiles. The sizes of chunks are not known in advance.
  package func cost(of demand: TileDemand) -> FetchCost {
    remote == nil ? FetchCost() : FetchCost(requests: names(of: demand).reduce(0) { $0 + $1.count })
  }

  package func fetch(_ demand: TileDemand) -> TileFetch? {
    guard let remote else { return nil }
    let limit = ZarrChunkReader.largestPacked(array)
    let files = max(1, min(32, Self.aheadBytes / limit))
    // If a tile has too many chunks, they are requested when they are read.
    let names = names(of: demand).map { profile.isInterleaved || $0.count <= files ? $0 : [] }
    let most = names.lazy.map(\.count).max() ?? 0
    let requests = ChunkRequests(remote, names, limit: limit, ahead: max(1, files / max(1, most)))
    return TileFetch { requests.finish($0) }
  }

  /// The memory for chunks that are requested in advance.
  private static let aheadBytes = 128 << 20

  /// The files of the chunks of each tile.
  private func names(of demand: TileDemand) -> [[String]] {
    demand.tiles.map { tile in
      let (down, across) = tile.quotientAndRemainder(dividingBy: profile.grid.tilesAcross)
      let planes = demand.planes.filter { !demand.isHeld($0, tile) }
      var names: [String] = []
      if profile.isInterleaved {
        var indices: [Int]? =
          planes.isEmpty ? nil : [Int](repeating: 0, count: array.layout.leading) + [down, across]
        while let chosen = indices {
          names.append("\(variable)/\(array.chunkName(chosen))")
          indices = array.layout.next(chosen)
        }
        return names
      }
      for plane in planes where plane < profile.pixelPlanes {
        let name =
          "\(variable)/\(array.chunkName(array.layout.chunk(ofBand: plane, down, across).0))"
        if names.last != name { names.append(name) }
      }
      return names
    }
  }
}

/// Chunks of tiles that are requested in advance, a few tiles at a time.
private final class ChunkRequests: Sendable {
  private let files: RemoteStoreFiles
  private let names: [[String]]
  private let limit: Int
  private let state: Mutex<(next: Int, open: Set<Int>)>

  /// - Parameters:
  ///   - names: the files of the chunks of each tile.
  ///   - limit: the maximum size of a file in bytes.
  ///   - ahead: the number of tiles that are requested at the same time.
  init(_ files: RemoteStoreFiles, _ names: [[String]], limit: Int, ahead: Int) {
    (self.files, self.names, self.limit) = (files, names, limit)
    state = Mutex((0, []))
    for _ in 0..<min(ahead, names.count) { begin() }
  }

  deinit {
    for job in state.withLock({ $0.open }) { drop(job) }
  }

  func finish(_ job: Int) {
    let isOpen = state.withLock { $0.open.remove(job) != nil }
    if isOpen { drop(job) }
    begin()
  }

  private func begin() {
    let job = state.withLock { state -> Int? in
      guard state.next < names.count else { return nil }
      state.open.insert(state.next)
      state.next += 1
      return state.next - 1
    }
    guard let job else { return }
    for name in names[job] { files.request(name, limit: limit) }
  }

  private func drop(_ job: Int) {
    for name in names[job] { files.drop(name) }
  }
}
