/// The cost of reading over a network, estimated or actual.
public struct FetchCost: Sendable, Hashable {
  /// The number of requests to servers.
  public var requests = 0
  /// The total size of the responses in bytes.
  public var bytes = 0
  /// The number of requests that were retries after failures. These are included in `requests`.
  public var retries = 0

  /// Creates a cost, zero by default.
  public init(requests: Int = 0, bytes: Int = 0, retries: Int = 0) {
    (self.requests, self.bytes, self.retries) = (requests, bytes, retries)
  }

  /// Returns the sum of two costs.
  public static func + (first: FetchCost, second: FetchCost) -> FetchCost {
    FetchCost(
      requests: first.requests + second.requests, bytes: first.bytes + second.bytes,
      retries: first.retries + second.retries)
  }
}

/// The tiles that a batch needs from a source. There is one job per element of `tiles`, and each
/// job needs all of `planes`.
public struct TileDemand {
  /// The numbers of the tiles, in the order in which they are needed.
  public var tiles: [Int]
  /// The planes that are needed for each tile.
  public var planes: [Int]
  /// Whether a plane's tile is already in memory.
  public var isHeld: (_ plane: Int, _ tile: Int) -> Bool

  /// Creates a demand; by default no tile is in memory.
  public init(
    tiles: [Int], planes: [Int],
    isHeld: @escaping (_ plane: Int, _ tile: Int) -> Bool = { _, _ in false }
  ) {
    (self.tiles, self.planes, self.isHeld) = (tiles, planes, isHeld)
  }
}

/// Tiles that are being fetched over a network. When this value is released, tiles that have not
/// been requested yet are not fetched.
public struct TileFetch: Sendable {
  private let release: @Sendable (Int) -> Void

  /// - Parameter release: called once for each of the demand's tiles, with its index.
  public init(release: @escaping @Sendable (_ job: Int) -> Void) { self.release = release }

  /// Marks a tile as read in all its planes. `job` is the tile's index in the demand.
  func finish(_ job: Int) { release(job) }
}
