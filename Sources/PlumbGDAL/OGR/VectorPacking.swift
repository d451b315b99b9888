import PlumbCore

extension FieldValue: Packed {
  func pack(into packer: inout Packer) {
    switch self {
    case .null: packer.putRaw(0 as UInt8)
    case .text(let text):
      packer.putRaw(1 as UInt8)
      packer.put(text)
    case .integer(let number):
      packer.putRaw(2 as UInt8)
      packer.put(number)
    case .real(let number):
      packer.putRaw(3 as UInt8)
      packer.put(number)
    case .boolean(let value):
      packer.putRaw(4 as UInt8)
      packer.put(value)
    case .json(let text):
      packer.putRaw(5 as UInt8)
      packer.put(text)
    }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    switch try unpacker.readRaw(UInt8.self) {
    case 0: self = .null
    case 1: self = .text(try unpacker.read())
    case 2: self = .integer(try unpacker.read())
    case 3: self = .real(try unpacker.read())
    case 4: self = .boolean(try unpacker.read())
    case 5: self = .json(try unpacker.read())
    default: throw Unpacker.fault
    }
  }
}

extension VectorField: Packed {
  private static let kinds: [Kind] = [
    .integer32, .integer64, .real, .text, .boolean, .float32, .dateTime, .date,
  ]

  func pack(into packer: inout Packer) {
    packer.put(name)
    packer.put(Self.kinds.firstIndex(of: kind) ?? 3)
    packer.put(
      native.map { [Int($0.type), Int($0.subtype), Int($0.width), Int($0.precision)] })
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    let name: String = try unpacker.read()
    let kind: Int = try unpacker.read()
    guard Self.kinds.indices.contains(kind) else { throw Unpacker.fault }
    self.init(name: name, kind: Self.kinds[kind])
    let parts: [Int]? = try unpacker.read()
    guard let parts else { return }
    guard parts.count == 4 else { throw Unpacker.fault }
    native = Native(
      type: UInt32(truncatingIfNeeded: parts[0]), subtype: UInt32(truncatingIfNeeded: parts[1]),
      width: Int32(truncatingIfNeeded: parts[2]), precision: Int32(truncatingIfNeeded: parts[3]))
  }
}

extension LayerFacts: Packed {
  func pack(into packer: inout Packer) {
    packer.put(name)
    packer.put(fields)
    packer.put(referenceText)
    packer.put(featureCount)
    packer.put(hasGeometry)
    packer.put(isDatabase)
    packer.put(geometryKind)
    packer.put(extent)
    packer.put(files)
    packer.put(isJSON)
    packer.put(hasNumbers)
    packer.put(hasSpatialIndex)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    name = try unpacker.read()
    fields = try unpacker.read()
    referenceText = try unpacker.read()
    featureCount = try unpacker.read()
    hasGeometry = try unpacker.read()
    isDatabase = try unpacker.read()
    geometryKind = try unpacker.read()
    extent = try unpacker.read()
    files = try unpacker.read()
    isJSON = try unpacker.read()
    hasNumbers = try unpacker.read()
    hasSpatialIndex = try unpacker.read()
    guard extent.map({ $0.count == 4 }) ?? true, featureCount ?? 0 >= 0 else {
      throw Unpacker.fault
    }
  }
}

extension FeatureReading: Packed {
  func pack(into packer: inout Packer) {
    packer.put(limit)
    packer.put(skipsBadShapes)
    packer.put(pointColumns)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    (limit, skipsBadShapes) = (try unpacker.read(), try unpacker.read())
    pointColumns = try unpacker.read()
  }
}

extension VectorListing: Packed {
  func pack(into packer: inout Packer) {
    packer.put(driver)
    packer.put(layers)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    (driver, layers) = (try unpacker.read(), try unpacker.read())
  }
}

extension VectorListing.Layer: Packed {
  func pack(into packer: inout Packer) {
    packer.put(name)
    packer.put(VectorListing.Kind.allCases.map { kinds.contains($0) })
    packer.put(geometryType)
    packer.put(featureCount)
    packer.put(reference)
    packer.put(fields)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    let name: String = try unpacker.read()
    let kinds: [Bool] = try unpacker.read()
    self.init(
      name: name, kinds: Set(zip(VectorListing.Kind.allCases, kinds).filter(\.1).map(\.0)),
      geometryType: try unpacker.read(), featureCount: try unpacker.read(),
      reference: try unpacker.read(), fields: try unpacker.read())
  }
}

// MARK: Shapes

extension Geometry: Packed {
  func pack(into packer: inout Packer) {
    switch self {
    case .point(let point):
      packer.putRaw(0 as UInt8)
      packer.put([point.x, point.y])
      packer.put(point.z)
      packer.put(point.m)
    case .multipoint(let points):
      packer.putRaw(1 as UInt8)
      packer.put(points.vertices)
    case .polyline(let line):
      packer.putRaw(2 as UInt8)
      packer.put(line.vertices)
      packer.putAll(line.partEnds)
    case .polygon(let area):
      packer.putRaw(3 as UInt8)
      packer.put(area.vertices)
      packer.putAll(area.ringEnds)
      packer.putAll(area.partEnds)
    case .envelope(let box):
      Geometry.polygon(box.polygon).pack(into: &packer)
    }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    switch try unpacker.readRaw(UInt8.self) {
    case 0:
      let xy: [Double] = try unpacker.read()
      guard xy.count == 2 else { throw Unpacker.fault }
      self = .point(
        Point(x: xy[0], y: xy[1], z: try unpacker.read(), m: try unpacker.read()))
    case 1: self = .multipoint(Multipoint(try unpacker.read()))
    case 2:
      let vertices: VertexList = try unpacker.read()
      let ends = try Self.ends(&unpacker, of: vertices.count)
      self = .polyline(Polyline(vertices, partEnds: ends))
    case 3:
      let vertices: VertexList = try unpacker.read()
      let rings = try Self.ends(&unpacker, of: vertices.count)
      let parts = try Self.ends(&unpacker, of: rings.count)
      self = .polygon(Polygon(vertices, ringEnds: rings, partEnds: parts))
    default: throw Unpacker.fault
    }
  }

  private static func ends(
    _ unpacker: inout Unpacker, of count: Int
  ) throws(GDALError) -> [Int] {
    let ends = try unpacker.readAll(Int.self)
    var last = 0
    for end in ends {
      guard end >= last else { throw Unpacker.fault }
      last = end
    }
    guard last == count else { throw Unpacker.fault }
    return ends
  }
}

extension VertexList: Packed {
  func pack(into packer: inout Packer) {
    packer.putAll(xy)
    packer.put(z != nil)
    if let z { packer.putAll(z) }
    packer.put(m != nil)
    if let m { packer.putAll(m) }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    let xy = try unpacker.readAll(SIMD2<Double>.self)
    let z = try unpacker.read(Bool.self) ? try unpacker.readAll(Double.self) : nil
    let m = try unpacker.read(Bool.self) ? try unpacker.readAll(Double.self) : nil
    guard (z ?? m)?.count ?? xy.count == xy.count, m?.count ?? xy.count == xy.count else {
      throw Unpacker.fault
    }
    self.init(xy, z: z, m: m)
  }
}

// MARK: Batches

extension FeatureBatch {
  func pack(into packer: inout Packer) {
    packer.put(features.count)
    for feature in features {
      packer.put(feature.id)
      for value in feature.attributes { packer.put(value) }
      packer.put(feature.geometry)
      packer.put(feature.collection)
    }
    packer.putAll(numbers)
    packer.put(faults.count)
    for fault in faults {
      packer.put(fault.message)
      packer.put(fault.number)
      packer.put(fault.isCollection)
    }
  }

  init(
    from unpacker: inout Unpacker, _ reference: SpatialReference?, columnCount: Int
  ) throws(GDALError) {
    // A feature takes at least one byte for each value, one byte for its shape, one byte for its id,
    // and an `Int` for the number of shapes in its collection.
    let count = try unpacker.readCount(size: columnCount + 2 + MemoryLayout<Int>.size)
    features.reserveCapacity(count)
    for _ in 0..<count {
      var feature = Feature(id: try unpacker.read())
      feature.attributes.reserveCapacity(columnCount)
      for _ in 0..<columnCount { feature.attributes.append(try unpacker.read()) }
      feature.geometry = try unpacker.read()
      feature.collection = try unpacker.read()
      feature.geometry?.spatialReference = reference
      for index in feature.collection.indices {
        feature.collection[index].spatialReference = reference
      }
      features.append(feature)
    }
    numbers = try unpacker.readAll(Int64.self)
    guard numbers.count == count else { throw Unpacker.fault }
    for _ in 0..<(try unpacker.readCount(size: 1)) {
      faults.append(
        Fault(
          message: try unpacker.read(String.self).printable, number: try unpacker.read(),
          isCollection: try unpacker.read()))
    }
  }
}

extension VectorBatch {
  func pack(into packer: inout Packer) {
    packer.putAll(x)
    packer.putAll(y)
    packer.putAll(isBad.map { $0 ? 1 : 0 as UInt8 })
    packer.putAll(faults.map(\.rawValue))
    for value in values { packer.put(value) }
  }

  init(from unpacker: inout Unpacker, columnCount: Int) throws(GDALError) {
    self.init(columnCount: columnCount)
    x = try unpacker.readAll(Double.self)
    y = try unpacker.readAll(Double.self)
    isBad = try unpacker.readAll(UInt8.self).map { $0 != 0 }
    for number in try unpacker.readAll(UInt8.self) {
      guard let fault = PointFault(rawValue: number) else { throw Unpacker.fault }
      faults.append(fault)
    }
    guard x.count == y.count, x.count == isBad.count, x.count == faults.count else {
      throw Unpacker.fault
    }
    // Each value has at least one byte.
    guard columnCount == 0 || x.count <= unpacker.rest / columnCount else { throw Unpacker.fault }
    values.reserveCapacity(x.count * columnCount)
    for _ in 0..<x.count * columnCount { values.append(try unpacker.read()) }
  }
}
