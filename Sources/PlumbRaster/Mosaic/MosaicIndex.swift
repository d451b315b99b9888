import PlumbCore

/// Finds the files of a mosaic that may contain a point. For each CRS, the index is a grid of
/// buckets over the extents of the files.
struct MosaicIndex {
  /// A rectangle that includes its edges.
  struct Box: BitwiseCopyable {
    var minX = -Double.infinity
    var minY = -Double.infinity
    var maxX = Double.infinity
    var maxY = Double.infinity

    static let nothing = Box(
      minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)

    mutating func extend(over other: Box) {
      minX = min(minX, other.minX)
      minY = min(minY, other.minY)
      maxX = max(maxX, other.maxX)
      maxY = max(maxY, other.maxY)
    }

    @inline(__always)
    func contains(_ x: Double, _ y: Double) -> Bool {
      x >= minX && x <= maxX && y >= minY && y <= maxY
    }
  }

  /// The buckets of one CRS. This type contains no reference-counted members, because it is used
  /// for every point.
  private struct Buckets: Sendable {
    var reference: Int
    /// The period of x; nil if x is not periodic, or if the files span too many periods.
    var period: Double?
    /// The total extent of the files whose extents are known.
    var known: Box
    var across: Int
    var box: Box
    var xScale: Double
    var yScale: Double
    /// The members of all buckets. The members of bucket `b` are `members[starts[b]..<starts[b +
    /// 1]]`, in ascending order.
    var starts: SharedPointer<UnsafeMutablePointer<Int32>>
    var members: SharedPointer<UnsafeMutablePointer<Int32>>

    /// If x is between these limits, a shift by one or more whole periods moves it outside of `known`.
    private var unshifted: (low: Double, high: Double)

    init(
      reference: Int, period: Double?, known: Box, across: Int, box: Box, xScale: Double,
      yScale: Double, starts: UnsafeMutablePointer<Int32>, members: UnsafeMutablePointer<Int32>
    ) {
      (self.reference, self.period, self.known, self.across) = (reference, period, known, across)
      (self.box, self.xScale, self.yScale) = (box, xScale, yScale)
      self.starts = SharedPointer(starts)
      self.members = SharedPointer(members)
      // The tolerance of 1e-5 periods is larger than the tolerance with which `next` computes shifts.
      let step = (period ?? 0) * (1 - 1e-5)
      unshifted = (known.maxX - step, known.minX + step)
    }

    /// Whether no shift of x by whole periods is needed.
    @inline(__always)
    func hasNoShift(_ x: Double) -> Bool { x > unshifted.low && x < unshifted.high }

    /// The bucket of a point within `box`.
    func number(_ x: Double, _ y: Double) -> Int {
      if across == 1 { return 0 }
      let column = min(across - 1, Int((x - box.minX) * xScale))
      let row = min(across - 1, Int((y - box.minY) * yScale))
      return row * across + column
    }

    /// The position of the first member above `previous` in a bucket's range of `members`.
    func position(after previous: Int32, in range: Range<Int>) -> Int {
      var (low, high) = (range.lowerBound, range.upperBound)
      while low < high {
        let middle = (low + high) / 2
        if members.pointer[middle] <= previous { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  /// The extents of the files, by member.
  private let boxes: TrivialBuffer<Box>
  private let buckets: [Buckets]
  /// The memory that the pointers of the buckets point to.
  private var storage: [TrivialBuffer<Int32>] = []
  /// The order in which the files are read.
  let levels: MosaicLevels
  /// The data for locating a point in each file.
  let members: MosaicMembers

  init(_ raster: Raster) {
    let boxes = raster.members.map { Self.box(of: $0.profile) }
    self.boxes = TrivialBuffer(boxes)
    var buckets: [Buckets] = []
    var periods: [Double?] = []
    for reference in raster.references.indices {
      let members = boxes.indices.filter { raster.memberReferences[$0] == reference }
      periods.append(members.first.flatMap { raster.members[$0].profile.longitudePeriod })
      let (starts, list, shape) = Self.makeBuckets(
        reference: reference, boxes: boxes, members: members, period: periods[reference])
      buckets.append(shape)
      storage += [starts, list]
    }
    self.buckets = buckets
    members = MosaicMembers(raster)
    levels = MosaicLevels(boxes, references: raster.memberReferences, periods: periods)
  }

  /// Returns the first member after `previous` whose extent contains the point, either at the
  /// point's own longitude or after a shift by whole periods.
  ///
  /// - Parameter coordinates: the points in each of the raster's CRSs.
  func next(after previous: Int32, coordinates: [PointCoordinates], point: Int) -> Int32? {
    var best: Int32?
    for number in 0..<buckets.count {
      let bucket = buckets[number]
      let points = coordinates[bucket.reference]
      if let status = points.status, status[point] != SampleStatus.ok.rawValue { continue }
      let (x, y) = (points.x[point], points.y[point])
      if let member = first(in: bucket, after: previous, x, y) {
        best = best.map { min($0, member) } ?? member
      }
      guard let period = bucket.period, !bucket.hasNoShift(x), y >= bucket.known.minY,
        y <= bucket.known.maxY, (x / period).magnitude < PeriodicLocator.farthest
      else { continue }
      var shift = ((bucket.known.minX - x) / period - 1e-6).rounded(.up)
      let last = ((bucket.known.maxX - x) / period + 1e-6).rounded(.down)
      while shift <= last {
        if shift != 0,
          let member = first(in: bucket, after: previous, x + shift * period, y)
        {
          best = best.map { min($0, member) } ?? member
        }
        shift += 1
      }
    }
    return best
  }

  private func first(
    in bucket: Buckets, after previous: Int32, _ x: Double, _ y: Double
  ) -> Int32? {
    guard bucket.box.contains(x, y) else { return nil }
    let number = bucket.number(x, y)
    let (starts, members, boxes) = (bucket.starts.pointer, bucket.members.pointer, boxes.base)
    let end = Int(starts[number + 1])
    for position in bucket.position(after: previous, in: Int(starts[number])..<end)..<end {
      let member = members[position]
      if boxes[Int(member)].contains(x, y) { return member }
    }
    return nil
  }

  private static func box(of profile: RasterProfile) -> Box {
    guard let corners = profile.mapping.placement?.corners(of: profile.grid) else { return Box() }
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    return Box(minX: xs.min()!, minY: ys.min()!, maxX: xs.max()!, maxY: ys.max()!)
  }

  private static func makeBuckets(
    reference: Int, boxes: [Box], members: [Int], period: Double?
  ) -> (starts: TrivialBuffer<Int32>, members: TrivialBuffer<Int32>, Buckets) {
    var total = Box.nothing
    for member in members { total.extend(over: boxes[member]) }
    var known = Box.nothing
    for member in members where boxes[member].minX.isFinite { known.extend(over: boxes[member]) }
    let (width, height) = (total.maxX - total.minX, total.maxY - total.minY)
    let isBounded =
      width.isFinite && height.isFinite && width > 0 && height > 0
      && (1024 / width).isFinite && (1024 / height).isFinite
    // If files overlap, each file is in many buckets, so fewer buckets are used to limit the
    // memory.
    let overlap = members.reduce(0.0) { sum, member in
      let box = boxes[member]
      return sum + (box.maxX - box.minX) / width * ((box.maxY - box.minY) / height)
    }
    let buckets = Double(members.count) / max(1, overlap / 4)
    let across = isBounded ? max(1, min(512, Int(buckets.squareRoot()) + 1)) : 1
    let xScale = isBounded ? Double(across) / width : 0
    let yScale = isBounded ? Double(across) / height : 0
    var lists = [[Int32]](repeating: [], count: across * across)
    for member in members {
      let box = boxes[member]
      func span(
        _ low: Double, _ high: Double, _ origin: Double, _ scale: Double
      ) -> ClosedRange<Int> {
        guard isBounded else { return 0...0 }
        let first = min(across - 1, Int((low - origin) * scale))
        return first...min(across - 1, Int((high - origin) * scale))
      }
      for row in span(box.minY, box.maxY, total.minY, yScale) {
        for column in span(box.minX, box.maxX, total.minX, xScale) {
          lists[row * across + column].append(Int32(member))
        }
      }
    }
    var starts: [Int32] = [0]
    for list in lists { starts.append(starts[starts.count - 1] + Int32(list.count)) }
    if !isBounded { total = members.isEmpty ? total : Box() }
    // Files without a known extent are tested for every point, and their readers apply shifts by
    // whole periods.
    let usable = period.flatMap { $0 > 0 && known.maxX - known.minX <= 16 * $0 ? $0 : nil }
    let (startBuffer, memberBuffer) = (TrivialBuffer(starts), TrivialBuffer(lists.flatMap { $0 }))
    return (
      startBuffer, memberBuffer,
      Buckets(
        reference: reference, period: usable, known: known, across: across, box: total,
        xScale: xScale, yScale: yScale, starts: startBuffer.base, members: memberBuffer.base)
    )
  }
}
