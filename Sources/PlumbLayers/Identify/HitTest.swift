import PlumbCore
import PlumbGeometry
import PlumbRaster

/// Tests which features of one layer are within the search distance of a point.
struct HitTest: Sendable {
  /// The method of measuring distances.
  private enum Measure: Sendable {
    /// In the plane of the layer's CRS, which is also the map's CRS.
    case plane
    /// With distance calculators, one per worker.
    case meter(WorkerStates<DistanceCalculator>)
  }

  private let measure: Measure
  /// The tolerance in the measure's unit.
  private let tolerance: Double
  /// The size of a pixel in the measure's unit; 0 if symbols have no size.
  private let pixel: Double
  /// Calculators of distances along the ground, one per worker; nil if the layer has no CRS, or has a CRS
  /// that is not tied to the Earth.
  private let ground: WorkerStates<DistanceCalculator>?

  private init(
    _ measure: Measure, tolerance: Double, pixel: Double, ground: WorkerStates<DistanceCalculator>?
  ) {
    (self.measure, self.tolerance, self.pixel, self.ground) = (measure, tolerance, pixel, ground)
  }

  /// Whether hits depend on symbol sizes.
  var countsSymbols: Bool { pixel > 0 }

  static func planar(_ tolerance: Double) -> HitTest {
    HitTest(.plane, tolerance: tolerance, pixel: 0, ground: nil)
  }

  /// - Parameters:
  ///   - reference: the CRS of the layer.
  ///   - mapReference: the CRS in which the map is drawn.
  /// - Throws: if there is no transformation between the two CRSs, or, for a tolerance in metres, from the
  ///   layer's CRS to geographic coordinates.
  init(
    _ options: IdentifyOptions, of reference: SpatialReference?,
    on mapReference: SpatialReference?, workers: Workers
  ) throws(GeometryError) {
    let side = options.scale.map { Pixel.side(atScale: $0, in: mapReference) } ?? 0
    let ground = reference.flatMap { reference in
      try? WorkerStates(count: workers.count) { () throws(GeometryError) in
        try DistanceCalculator(reference, measure: .ground)
      }
    }
    self.ground = ground
    if case .metres(let metres) = options.tolerance, metres > 0, let reference {
      // Symbol sizes are converted to metres with the nominal length of a pixel.
      tolerance = metres
      pixel = side * (mapReference?.metresPerUnit ?? 1)
      measure = .meter(try Self.meters(reference, .ground, workers))
      return
    }
    pixel = side
    switch options.tolerance {
    case .pixels(let pixels): tolerance = pixels * side
    case .metres(let length), .mapUnits(let length): tolerance = length
    }
    if tolerance > 0 || pixel > 0, let reference, let mapReference,
      !reference.isEquivalent(to: mapReference)
    {
      measure = .meter(try Self.meters(reference, .plane(of: mapReference), workers))
    } else {
      measure = .plane
    }
  }

  private static func meters(
    _ reference: SpatialReference, _ measure: DistanceCalculator.Measure, _ workers: Workers
  ) throws(GeometryError) -> WorkerStates<DistanceCalculator> {
    try WorkerStates(count: workers.count) { () throws(GeometryError) in
      try DistanceCalculator(reference, measure: measure)
    }
  }

  /// Returns windows in the layer's CRS that contain all features that can be hit at a point; nil
  /// if no such windows are known, and all features have to be tested.
  ///
  /// Each window is a narrow strip from the point upwards or downwards. Sources compare shapes with
  /// windows by different rules. Some sources treat the inside of a self-intersecting polygon as
  /// outside, and would omit the polygon for a window that contains only the point. The strip also
  /// intersects the edges of such a polygon.
  func windows(round point: SIMD2<Double>, of layer: FeatureLayer) -> [Envelope]? {
    let table = layer.table
    guard tolerance == 0, pixel == 0 || (layer.renderer == nil && !table.hasSymbols),
      point.y.magnitude < Self.stripLength / 2
    else { return nil }
    let extent = table.extent
    let isUpward = extent.map { point.y - $0.yMin >= $0.yMax - point.y } ?? true
    let margin = point.y.ulp * 4
    let (yMin, yMax) =
      isUpward
      ? (point.y - margin, point.y + Self.stripLength)
      : (point.y - Self.stripLength, point.y + margin)
    guard let period = table.spatialReference?.period else {
      return [Self.strip(point.x, yMin, yMax)]
    }
    return GeometryLocator.images(of: point.x, period: period, extent: extent)?.map {
      Self.strip($0, yMin, yMax)
    }
  }

  /// Returns windows in the layer's CRS that contain all features that can be hit at some points;
  /// nil if no such windows are known, and all features have to be tested.
  func windows(roundEach points: PointCoordinates, of layer: FeatureLayer) -> [Envelope]? {
    let table = layer.table
    let radius = tolerance + layer.largestSymbol * pixel
    let period = table.spatialReference?.period
    var windows: [Envelope] = []
    windows.reserveCapacity(points.count)
    for row in 0..<points.count
    where unsafe points.status.map({ unsafe $0[row] == SampleStatus.ok.rawValue }) ?? true {
      let point = unsafe SIMD2(points.x[row], points.y[row])
      var half = SIMD2(repeating: radius)
      if case .meter(let meters) = measure, radius > 0 {
        guard let sides = meters[0].halfSides(round: point, within: radius) else { return nil }
        half = sides
      }
      half = half.replacing(with: half * 1.001, where: half .> 0)
      // Features may be several periods of longitude away from the point.
      let paddedExtent = table.extent.map {
        Envelope(xMin: $0.xMin - half.x, yMin: $0.yMin, xMax: $0.xMax + half.x, yMax: $0.yMax)
      }
      let xs =
        period.map { period in
          GeometryLocator.images(of: point.x, period: period, extent: paddedExtent)
            ?? [point.x, point.x - period, point.x + period]
        } ?? [point.x]
      for x in xs {
        if let paddedExtent, !paddedExtent.isEmpty,
          x + half.x < paddedExtent.xMin || x - half.x > paddedExtent.xMax
        {
          continue
        }
        windows.append(
          Envelope(
            xMin: x - half.x, yMin: point.y - half.y, xMax: x + half.x, yMax: point.y + half.y))
      }
    }
    return windows
  }

  /// The length of a strip, which exceeds any extent on the Earth in any unit.
  private static let stripLength = 1e9

  private static func strip(_ x: Double, _ yMin: Double, _ yMax: Double) -> Envelope {
    Envelope(xMin: x - x.ulp * 4, yMin: yMin, xMax: x + x.ulp * 4, yMax: yMax)
  }

  /// The distance in metres from a point to the shape of a hit item; NaN if the layer has no CRS, or has a
  /// CRS that is not tied to the Earth.
  func groundDistance(
    from point: SIMD2<Double>, to item: Int, of locator: GeometryLocator, worker: Int = 0
  ) -> Double {
    if tolerance == 0, pixel == 0 { return 0 }
    return ground?[worker].distance(of: locator, item: item, from: point) ?? .nan
  }

  /// Returns a finder for the features of the layer.
  func finder(_ features: FeatureSet) -> Finder { Finder(test: self, features: features) }

  struct Finder: Sendable {
    fileprivate let test: HitTest
    fileprivate let features: FeatureSet
    private var largest: Double { test.tolerance + features.largestExtent * test.pixel }

    fileprivate init(test: HitTest, features: FeatureSet) {
      self.test = test
      self.features = features
    }

    /// Whether only features that contain the point are hit.
    var isExact: Bool { !(largest > 0) }

    /// Returns the features that are hit at each point, in reverse order of the results. The
    /// features are sorted by descending distance, so that features that contain the point are
    /// last. Features at the same distance are in drawing order.
    func items(near points: PointCoordinates, workers: Workers) throws(GeometryError) -> ItemLists {
      let counts = TrivialBuffer<Int>(count: points.count)
      let parts = try workers.mapRanges(points.count, grain: 256) {
        (worker, range) throws(GeometryError) in
        var items: [Int32] = []
        for row in range {
          let start = items.count
          // Cancellation is checked at each point, because a single point may be near all features.
          if !WorkCancellation.isCurrentCancelled,
            unsafe points.status.map({ unsafe $0[row] == SampleStatus.ok.rawValue }) ?? true
          {
            unsafe try append(SIMD2(points.x[row], points.y[row]), worker, to: &items)
          }
          unsafe counts.base[row] = items.count - start
        }
        return items
      }
      var offsets = [0]
      offsets.reserveCapacity(points.count + 1)
      for row in 0..<points.count { unsafe offsets.append(offsets[row] + counts.base[row]) }
      return ItemLists(offsets: offsets, items: Array(parts.joined()))
    }

    private func append(
      _ point: SIMD2<Double>, _ worker: Int, to items: inout [Int32]
    ) throws(GeometryError) {
      let hits: [GeometryLocator.Hit]
      switch test.measure {
      case .plane: hits = features.locator.hits(near: point, within: largest)
      case .meter(let meters):
        hits = try meters[worker].hits(of: features.locator, near: point, within: largest)
      }
      let start = items.count
      var isNear = false
      for hit in hits where hit.distance <= searchRadius(of: hit.item) {
        items.append(Int32(truncatingIfNeeded: hit.item))
        if hit.distance > 0 { isNear = true }
      }
      if isNear, items.count - start > 1 {
        sort(&items[start...], hits, round: point, worker)
      }
    }

    /// Sorts the items of one point, given in drawing order, by descending distance.
    ///
    /// Distances are measured along the ground, as in results, or with `measure` if the layer is not
    /// georeferenced.
    private func sort(
      _ items: inout ArraySlice<Int32>, _ hits: [GeometryLocator.Hit], round point: SIMD2<Double>,
      _ worker: Int
    ) {
      var measured: [(item: Int32, distance: Double)] = []
      var ground: [Double] = []
      measured.reserveCapacity(items.count)
      ground.reserveCapacity(items.count)
      var position = items.startIndex
      for hit in hits where position < items.endIndex && items[position] == hit.item {
        if WorkCancellation.isCurrentCancelled { return }
        measured.append((items[position], hit.distance))
        ground.append(
          hit.distance == 0
            ? 0
            : test.groundDistance(from: point, to: hit.item, of: features.locator, worker: worker))
        position += 1
      }
      if !ground.contains(where: \.isNaN) {
        for index in measured.indices { measured[index].distance = ground[index] }
      }
      measured.sort { $0.distance != $1.distance ? $0.distance > $1.distance : $0.item < $1.item }
      for (offset, one) in measured.enumerated() { items[items.startIndex + offset] = one.item }
    }

    private func searchRadius(of item: Int) -> Double {
      guard !features.extents.isEmpty else { return test.tolerance }
      return test.tolerance + features.extents[item] * test.pixel
    }
  }
}
