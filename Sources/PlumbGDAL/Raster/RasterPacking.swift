import PlumbCore
import PlumbRaster

extension RasterProfile: Packed {
  /// Packs all values, including the values that are otherwise computed lazily.
  func pack(into packer: inout Packer) {
    packer.put([grid.width, grid.height, grid.tileWidth, grid.tileHeight])
    packer.put(mapping)
    packer.put(note)
    packer.put(reference)
    packer.put(longitudePeriod)
    packer.put(bands)
    packer.put(isInterleaved)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    let sizes: [Int] = try unpacker.read()
    let mapping: GridMapping = try unpacker.read()
    let note: String? = try unpacker.read()
    guard sizes.count == 4, sizes.allSatisfy({ 1...Int(Int32.max) ~= $0 }) else {
      throw Unpacker.fault
    }
    self.init(
      grid: TileGrid(
        width: sizes[0], height: sizes[1], tileWidth: sizes[2], tileHeight: sizes[3]),
      mapping: mapping, reference: try unpacker.read(), longitudePeriod: try unpacker.read(),
      bands: try unpacker.read(), isInterleaved: try unpacker.read())
    self.note = note?.printable
    if case .axes(let axes) = mapping {
      guard axes.columns.count == grid.width, axes.rows.count == grid.height else {
        throw Unpacker.fault
      }
    }
    guard !bands.isEmpty, !isInterleaved, bands.allSatisfy({ $0.isSound(among: bands.count) }),
      (0..<pixelPlanes).allSatisfy({
        cellStride(plane: $0) <= GDALRasterSource.largestTile / sizes[2] / sizes[3]
      }),
      grid.tilesAcross.multipliedReportingOverflow(by: grid.tilesDown).partialValue
        < Int(UInt32.max)
    else { throw Unpacker.fault }
  }
}

extension GridMapping: Packed {
  func pack(into packer: inout Packer) {
    switch self {
    case .affine(let transform):
      packer.put(0)
      packer.put(transform.coefficients)
    case .source: packer.put(1)
    case .axes(let axes):
      packer.put(2)
      packer.put(axes.columns)
      packer.put(axes.rows)
      packer.put(axes.isTransposed)
    case .none(let reason):
      packer.put(3)
      packer.put(reason)
    }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    switch try unpacker.read(Int.self) {
    case 0:
      guard let transform = GridTransform(coefficients: try unpacker.read()) else {
        throw Unpacker.fault
      }
      self = .affine(transform)
    case 1: self = .source
    case 2:
      self = .axes(
        GridAxes(
          columns: try unpacker.read(), rows: try unpacker.read(),
          isTransposed: try unpacker.read()))
    case 3: self = .none(reason: try unpacker.read(String.self).printable)
    default: throw Unpacker.fault
    }
  }
}

extension GridAxis: Packed {
  func pack(into packer: inout Packer) {
    switch self {
    case .even(let origin, let step, let count):
      packer.put(true)
      packer.put([origin, step])
      packer.put(count)
    case .uneven(let axis):
      packer.put(false)
      let cells = axis.cells
      packer.putAll(cells.centres)
      packer.putAll(cells.bounds.map(\.0))
      packer.putAll(cells.bounds.map(\.1))
    }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    if try unpacker.read(Bool.self) {
      let numbers: [Double] = try unpacker.read()
      let count: Int = try unpacker.read()
      guard numbers.count == 2, numbers.allSatisfy(\.isFinite), numbers[1] != 0,
        1...Int(Int32.max) ~= count
      else { throw Unpacker.fault }
      self = .even(origin: numbers[0], step: numbers[1], count: count)
      return
    }
    let centres = try unpacker.readAll(Double.self)
    let starts = try unpacker.readAll(Double.self)
    let ends = try unpacker.readAll(Double.self)
    guard starts.count == ends.count,
      let axis = UnevenAxis(centres: centres, bounds: Array(zip(starts, ends)))
    else { throw Unpacker.fault }
    self = .uneven(axis)
  }
}

extension Band {
  /// Whether the band's validity matches its pixel type and the number of bands.
  fileprivate func isSound(among count: Int) -> Bool {
    switch validity {
    case .all, .mask: true
    case .alpha(let band): (0..<count).contains(band)
    case .noData(.integer): pixelType == .int64
    case .noData(.unsigned): pixelType == .uint64
    case .noData(.real): pixelType != .int64 && pixelType != .uint64
    }
  }
}

extension Band: Packed {
  func pack(into packer: inout Packer) {
    packer.putRaw(pixelType.rawValue)
    packer.put(validity)
    packer.put(scale)
    packer.put(offset)
    packer.put(unit)
    packer.put(name)
    packer.put(colorInterpretation)
    packer.put(classes?.entries)
    packer.putAll(colors.map(\.rgba))
    packer.put(date)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    guard let type = PixelType(rawValue: try unpacker.readRaw(UInt8.self)) else {
      throw Unpacker.fault
    }
    let validity: Validity = try unpacker.read()
    let (scale, offset): (Double, Double) = (try unpacker.read(), try unpacker.read())
    let (unit, name): (String, String) = (try unpacker.read(), try unpacker.read())
    let interpretation: String = try unpacker.read()
    let entries: [ClassTable.Entry]? = try unpacker.read()
    self.init(
      pixelType: type, validity: validity, scale: scale, offset: offset, unit: LazyText(unit),
      name: name, colorInterpretation: interpretation,
      classes: entries.map { ClassTable(entries: $0) },
      colors: try unpacker.readAll(UInt32.self).map { Color(rgba: $0) })
    date = try unpacker.read()
  }
}

extension ImageDate: Packed {
  func pack(into packer: inout Packer) {
    packer.put(microseconds)
    packer.put(hasTime)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    self.init(microseconds: try unpacker.read(), hasTime: try unpacker.read())
    guard microseconds.magnitude < ImageDate.limit else { throw Unpacker.fault }
  }
}

extension BandAxis: Packed {
  func pack(into packer: inout Packer) {
    packer.put(name)
    packer.put(count)
    packer.putAll(values)
    packer.put(dates)
    packer.put(isTime)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    name = try unpacker.read()
    count = try unpacker.read()
    values = try unpacker.readAll(Double.self)
    dates = try unpacker.read()
    isTime = try unpacker.read()
    guard count > 0, values.isEmpty || values.count == count,
      dates.map({ $0.count == count }) ?? true
    else { throw Unpacker.fault }
  }
}

extension ClassTable.Entry: Packed {
  func pack(into packer: inout Packer) {
    packer.put(lower)
    packer.put(upper)
    packer.put(name)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    self.init(lower: try unpacker.read(), upper: try unpacker.read(), name: try unpacker.read())
  }
}

extension Validity: Packed {
  func pack(into packer: inout Packer) {
    switch self {
    case .all: packer.put(0)
    case .noData(.real(let value)):
      packer.put(1)
      packer.put(value)
    case .noData(.integer(let value)):
      packer.put(2)
      packer.put(value)
    case .noData(.unsigned(let value)):
      packer.put(3)
      packer.put(Int64(bitPattern: value))
    case .alpha(let band):
      packer.put(4)
      packer.put(band)
    case .mask(let meansNoData):
      packer.put(5)
      packer.put(meansNoData)
    }
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    switch try unpacker.read(Int.self) {
    case 0: self = .all
    case 1: self = .noData(.real(try unpacker.read()))
    case 2: self = .noData(.integer(try unpacker.read()))
    case 3: self = .noData(.unsigned(UInt64(bitPattern: try unpacker.read(Int64.self))))
    case 4: self = .alpha(band: try unpacker.read())
    case 5: self = .mask(meansNoData: try unpacker.read())
    default: throw Unpacker.fault
    }
  }
}

extension RasterDetails: Packed {
  func pack(into packer: inout Packer) {
    packer.put(driver)
    packer.put(compression)
    packer.put(interleaving)
    packer.put([blockWidth, blockHeight, groundControlPoints])
    packer.put(overviews.map { [$0.width, $0.height] })
    packer.put(metadata.map { [$0.name, $0.value] })
    packer.put(files)
    packer.put(otherMappings)
    packer.put(subdatasets)
    packer.put(bitsPerSample)
    packer.put(axes)
    packer.put(date)
    packer.put(messages)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    driver = try unpacker.read()
    compression = try unpacker.read()
    interleaving = try unpacker.read()
    let sizes: [Int] = try unpacker.read()
    let overviews: [[Int]] = try unpacker.read()
    let metadata: [[String]] = try unpacker.read()
    guard sizes.count == 3, overviews.allSatisfy({ $0.count == 2 }),
      metadata.allSatisfy({ $0.count == 2 })
    else { throw Unpacker.fault }
    (blockWidth, blockHeight, groundControlPoints) = (sizes[0], sizes[1], sizes[2])
    self.overviews = overviews.map { ($0[0], $0[1]) }
    self.metadata = metadata.map { ($0[0], $0[1]) }
    files = try unpacker.read()
    otherMappings = try unpacker.read()
    subdatasets = try unpacker.read()
    bitsPerSample = try unpacker.read()
    axes = try unpacker.read()
    date = try unpacker.read()
    messages = try unpacker.read()
  }
}

extension GRIBField: Packed {
  func pack(into packer: inout Packer) {
    packer.put(parameter)
    packer.put(level)
    packer.put(date)
  }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    self.init(parameter: try unpacker.read(), level: try unpacker.read())
    date = try unpacker.read()
  }
}

extension CellWindow: Packed {
  func pack(into packer: inout Packer) { packer.put([column, row, width, height]) }

  init(from unpacker: inout Unpacker) throws(GDALError) {
    let parts: [Int] = try unpacker.read()
    guard parts.count == 4, parts.allSatisfy({ 0...Int(Int32.max) ~= $0 }) else {
      throw Unpacker.fault
    }
    self.init(column: parts[0], row: parts[1], width: parts[2], height: parts[3])
  }
}
