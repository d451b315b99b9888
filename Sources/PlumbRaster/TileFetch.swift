/// What reading over a network takes, or has taken.
public struct FetchCost: Sendable, Hashable {
  /// Requests to servers.
  public var requests = 0
  /// Bytes that they bring.
  public var bytes = 0
  /// Requests that were sent again after a failure, counted among `requests` too.
  public var retries = 0

  /// Nothing asked.
  public init(requests: Int = 0, bytes: Int = 0, retries: Int = 0) {
    (self.requests, self.bytes, self.retries) = (requests, bytes, retries)
  }

  /// Both together.
  public static func + (first: FetchCost, second: FetchCost) -> FetchCost {
    FetchCost(
      requests: first.requests + second.requests, bytes: first.bytes + second.bytes,
      retries: first.retries + second.retries)
  }
}

/// The tiles that a batch will ask of a source, job by job: of each of `tiles` all of `planes`.
public struct TileDemand {
  /// The numbers of the tiles, in the order in which they will be asked.
  public var tiles: [Int]
  /// The planes that are asked of each.
  public var planes: [Int]
  /// Whether the tile of a plane is in memory already.
  public var isHeld: (_ plane: Int, _ tile: Int) -> Bool

  /// Tiles of which none is in memory, unless said otherwise.
  public init(
    tiles: [Int], planes: [Int],
    isHeld: @escaping (_ plane: Int, _ tile: Int) -> Bool = { _, _ in false }
  ) {
    (self.tiles, self.planes, self.isHeld) = (tiles, planes, isHeld)
  }
}

/// Tiles whose bytes are on their way over a network. When it is let go of, those that have not been
/// asked for are not fetched any more.
public struct TileFetch: Sendable {
  private let release: @Sendable (Int) -> Void

  /// - Parameter release: called once for each of the demand's tiles, by its index.
  public init(release: @escaping @Sendable (_ job: Int) -> Void) { self.release = release }

  /// Says that a tile, by its index in the demand, has been read in all its planes.
  func finish(_ job: Int) { release(job) }
}
