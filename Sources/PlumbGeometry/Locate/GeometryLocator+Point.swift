import PlumbCore

extension GeometryLocator {
  /// The items that contain the point, by exact arithmetic: points equal to the point, lines with
  /// an edge through the point, and areas with the point in their interior or on their boundary.
  /// The list is ascending, and is empty if a coordinate is NaN.
  ///
  /// - Complexity: O(log *n* + *k*) for *k* items whose boxes contain the point.
  public func items(at location: SIMD2<Double>) -> [Int] {
    var result: [Int] = []
    forEachImage(of: location, searchRadius: 0) { location in
      areas.locator.index.visit(intersecting: location, location) { area in
        if areas.locator.store.location(location, in: area) != .exterior {
          result.append(areas.item(area))
        }
        return true
      }
      lines.index.visit(intersecting: location, location) { line in
        if lines.store.isOnEdge(location, ofShape: line) { result.append(lines.item(line)) }
        return true
      }
      points.index.visit(intersecting: location, location) { point in
        result.append(points.item(point))
        return true
      }
    }
    if result.count > 1 { result.sortAndMakeUnique() }
    return result
  }

  /// The items that contain each of many points, as returned by `items(at:)`; the result does not
  /// depend on the number of workers.
  ///
  /// - Precondition: fewer than 2³¹ points.
  public func items(
    atEach x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, count: Int,
    workers: Workers = Workers()
  ) -> ItemLists {
    let (xs, ys) = (
      UnsafeBufferPointer(start: x, count: count), UnsafeBufferPointer(start: y, count: count)
    )
    var found = partialLists(xs, ys, of: nil, workers)
    if period != nil {
      let other = otherImages(xs, ys)
      if !other.queries.isEmpty {
        found += other.x.withUnsafeBufferPointer { x in
          other.y.withUnsafeBufferPointer { y in partialLists(x, y, of: other.queries, workers) }
        }
      }
    }
    if found.count == 1, found[0].queries == nil, found[0].items == nil { return found[0].lists }
    return PartialResult.merged(found, count: count, workers)
  }

  /// The items that contain each of many points, given as arrays.
  ///
  /// - Precondition: `x` and `y` have the same count, below 2³¹.
  public func items(
    atEach x: [Double], _ y: [Double], workers: Workers = Workers()
  ) -> ItemLists {
    precondition(x.count == y.count, "x and y differ in count")
    return x.withUnsafeBufferPointer { x in
      y.withUnsafeBufferPointer { y in
        guard let first = x.baseAddress, let second = y.baseAddress else {
          return ItemLists(offsets: [0], items: [])
        }
        return items(atEach: first, second, count: x.count, workers: workers)
      }
    }
  }

  /// The lists of items for some points, separately for areas, lines and points.
  private func partialLists(
    _ x: UnsafeBufferPointer<Double>, _ y: UnsafeBufferPointer<Double>, of queries: [Int32]?,
    _ workers: Workers
  ) -> [PartialResult] {
    let groups = PointGroups(x: x, y: y, workers: workers)
    var found: [PartialResult] = []
    let isEmpty = lines.index.count == 0 && points.index.count == 0
    if areas.locator.count > 0 || isEmpty {
      let lists = groups.lists(areas.locator.index, areas.locator.filter(.intersects))
      found.append(PartialResult(lists: lists, queries: queries, items: areas.items))
    }
    if lines.index.count > 0 {
      let lists = groups.lists(lines.index, lines.filter)
      found.append(PartialResult(lists: lists, queries: queries, items: lines.items))
    }
    if points.index.count > 0 {
      // The box of a point contains only the point, so all hits match.
      let lists = groups.lists(points.index) { _, _, hits in hits.count }
      found.append(PartialResult(lists: lists, queries: queries, items: points.items))
    }
    return found
  }

  /// The given points shifted by one or more periods, if the shifted points are within the extent
  /// of the geometries.
  private func otherImages(
    _ x: UnsafeBufferPointer<Double>, _ y: UnsafeBufferPointer<Double>
  ) -> (queries: [Int32], x: [Double], y: [Double]) {
    var result: (queries: [Int32], x: [Double], y: [Double]) = ([], [], [])
    for query in 0..<x.count {
      forEachOtherImage(of: SIMD2(x[query], y[query]), searchRadius: 0, period) { point in
        guard box.x <= point.x, point.x <= -box.z else { return }
        result.queries.append(Int32(truncatingIfNeeded: query))
        result.x.append(point.x)
        result.y.append(point.y)
      }
    }
    return result
  }
}

extension [Int] {
  fileprivate mutating func sortAndMakeUnique() {
    sort()
    var kept = 1
    for index in 1..<count where self[index] != self[kept - 1] {
      self[kept] = self[index]
      kept += 1
    }
    removeLast(count - kept)
  }
}

/// The lists of items of one kind (areas, lines or points) for some of the points of a batch.
private struct PartialResult {
  var lists: ItemLists
  /// The batch index of each list's point, ascending; nil if list and batch indices are the same.
  var queries: [Int32]?
  /// The item that each element of the lists represents; nil if the elements are the items.
  var items: TrivialBuffer<Int32>?

  /// Merges all lists into one list per point, with each item once, ascending.
  static func merged(_ partials: [PartialResult], count: Int, _ workers: Workers) -> ItemLists {
    // The start of each point's list, whose capacity includes duplicates.
    let starts = TrivialBuffer<Int>(count: count + 1, zeroed: true)
    for partial in partials {
      for list in 0..<partial.lists.count {
        let query = partial.queries.map { Int($0[list]) } ?? list
        starts.base[query + 1] += partial.lists.offsets[list + 1] - partial.lists.offsets[list]
      }
    }
    for query in 0..<count { starts.base[query + 1] += starts.base[query] }
    let mergedItems = TrivialBuffer<Int32>(count: starts.base[count])
    let filled = TrivialBuffer<Int>(count: count, zeroed: true)
    for partial in partials {
      partial.lists.items.withUnsafeBufferPointer { elements in
        for list in 0..<partial.lists.count {
          let query = partial.queries.map { Int($0[list]) } ?? list
          for position in partial.lists.offsets[list]..<partial.lists.offsets[list + 1] {
            let element = elements[position]
            mergedItems.base[starts.base[query] + filled.base[query]] =
              partial.items.map { $0.base[Int(element)] } ?? element
            filled.base[query] += 1
          }
        }
      }
    }
    workers.runRanges(count, grain: 8192) { _, range in
      for query in range where filled.base[query] > 1 {
        let list = UnsafeMutableBufferPointer(
          start: mergedItems.base + starts.base[query], count: filled.base[query])
        list.sortInPlace()
        var kept = 1
        for index in 1..<list.count where list[index] != list[kept - 1] {
          list[kept] = list[index]
          kept += 1
        }
        filled.base[query] = kept
      }
    }
    var offsets = [0]
    offsets.reserveCapacity(count + 1)
    for query in 0..<count { offsets.append(offsets[query] + filled.base[query]) }
    let items = [Int32](unsafeUninitializedCapacity: offsets[count]) { items, done in
      for query in 0..<count {
        _ = items[offsets[query]..<offsets[query + 1]].initialize(
          fromContentsOf: UnsafeBufferPointer(
            start: mergedItems.base + starts.base[query], count: filled.base[query]))
      }
      done = offsets[count]
    }
    return ItemLists(offsets: offsets, items: items)
  }
}

extension UnsafeMutableBufferPointer<Int32> {
  fileprivate func sortInPlace() {
    var elements = self
    elements.sort()
  }
}
