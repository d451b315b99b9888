import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbRaster
import PlumbSources

/// Writes stacks to a Zarr store whose chunks have all dates of a few cells.
///
/// A new store is written under another name and then renamed; a resumable run keeps it in the
/// folder `OUTPUT.resume`, which contains only complete chunks. Dates are added to a store chunk by
/// chunk, and each chunk is replaced atomically. The consolidated metadata are replaced last, which
/// makes all added dates visible at once.
package struct StackStore {
  package struct Options: Sendable {
    /// The path of the store.
    package var output: String
    /// Whether dates are added to an existing store.
    package var appends = false
    /// The approximate size of a chunk in bytes before compression.
    package var chunkBytes = StackStore.defaultChunk
    /// Whether scale and offset are applied.
    package var isScaled = false
    package var workers = Workers()
    /// Text that, together with the files, identifies the store; nil if the run cannot be resumed.
    package var resume: String?

    package init(output: String) { self.output = output }
  }

  package static let defaultChunk = 1 << 20
  /// The maximum size in bytes of the values of a window, with all dates that are written together.
  private static let memory = 512 << 20
  /// The compression level of zstd.
  private static let level = 1
  /// The maximum number of files that all workers have open.
  private static let fileLimit = 200

  private let variables: [StoreVariable]
  private let dates: [ImageDate]
  private let metadata: StoreMetadata
  private let options: Options
  /// The path of the store without a slash at its end.
  private let path: String

  /// - Throws: if the stacks differ in their dates or grids, if the store has to be created but exists,
  ///   or if dates have to be added to a store that does not exist.
  package init(_ stacks: [DatedStack], _ options: Options) throws {
    self.options = options
    path = Self.plain(options.output)
    guard let first = stacks.first else { throw PlumbError("no stacks") }
    dates = first.slices.map(\.date)
    for stack in stacks.dropFirst() where stack.slices.map(\.date) != dates {
      throw PlumbError(
        "\(stack.name.printable) and \(first.name.printable) have different dates; the variables of a store have the "
          + "same", code: .unsupported)
    }
    variables = try stacks.map { try StoreVariable($0, isScaled: options.isScaled) }
    guard let file = variables.first?.layers.first?.source else { throw PlumbError("no files") }
    let grid = try StoreGrid(of: file)
    for layer in variables.flatMap(\.layers) where layer.source !== file {
      try grid.check(try StoreGrid(of: layer.source))
    }
    metadata = try StoreMetadata(grid)
  }

  /// The path without slashes at its end.
  private static func plain(_ path: String) -> String {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// - Throws: if the output exists and no dates are added, or if it does not exist and dates are
  ///   added.
  package static func check(_ output: String, appends: Bool) throws {
    let path = plain(output)
    switch (FileKind(path: path), appends) {
    case (nil, true):
      throw PlumbError(
        messageTemplate: "\(path.printable) does not exist, so dates cannot be added to it",
        code: .notFound,
        remedies: ["leave out \(.append) to write a new store"])
    case (.some, false):
      throw PlumbError(
        "\(path.printable) exists", code: .exists,
        remedies: ["\(.append) adds dates to a store", "delete it to write a new one"])
    default: break
    }
  }

  /// Writes the store.
  ///
  /// - Parameter progress: called with the fraction that is done.
  package func write(_ progress: @escaping (Double) -> Void) throws {
    try Self.check(path, appends: options.appends)
    if options.appends { try append(progress) } else { try create(progress) }
  }

  // MARK: A new store

  private func create(_ progress: @escaping (Double) -> Void) throws {
    if let identity = options.resume {
      let folder = try ResumeFolder(
        target: path, identity: ([identity] + stamps).joined(separator: "\n"))
      let parts = try folder.emptyFolder("parts")
      try create(in: folder.outputPath, parts: parts, progress)
      try folder.commit(to: path)
      return
    }
    let output = try OutputFile(target: path, overwrite: false)
    do {
      try create(in: output.temporaryPath, parts: nil, progress)
      try output.commit()
    } catch {
      throw output.named(error)
    }
  }

  /// The files of the stacks, with their sizes and times.
  private var stamps: [String] {
    let files = Set(variables.flatMap(\.layers).flatMap(\.source.files))
    return files.sorted().map { "\($0) \(FileStamp(path: $0)?.text ?? "")" }
  }

  /// - Parameters:
  ///   - root: the folder of the store.
  ///   - parts: the folder in which files are written before they are moved to the store; nil for
  ///     the store itself. In this case, the store may contain files of a killed run.
  private func create(
    in root: String, parts: String?, _ progress: @escaping (Double) -> Void
  ) throws {
    func write(_ bytes: [UInt8], _ name: String) throws {
      guard let parts else { return try NewFile.write(bytes, to: "\(root)/\(name)") }
      try NewFile.write(bytes, to: "\(parts)/file")
      try NewFile.move("\(parts)/file", to: "\(root)/\(name)")
    }
    func makeFolder(_ path: String) throws {
      if parts == nil || FileKind(path: path) != .folder { try NewFile.makeFolder(path) }
    }
    try makeFolder(root)
    var files = StoreMetadata.root
    let times = StoreTimes(dates)
    for axis in metadata.fixedAxes + [metadata.timeAxis(times)] {
      try makeFolder("\(root)/\(axis.name)")
      for (name, bytes) in Self.chunks(of: axis) { try write(bytes, "\(axis.name)/\(name)") }
      files["\(axis.name)/.zarray"] = axis.array.json.bytes
      files["\(axis.name)/.zattrs"] = axis.attributes.bytes
    }
    var counter = Counter(total: dates.count * variables.count, progress)
    for variable in variables {
      let array = layout(of: variable)
      let folder = "\(root)/\(variable.name)"
      try makeFolder(folder)
      let place = parts.map { Place(folder: $0, target: folder) } ?? Place(folder: folder)
      try self.write(
        variable, array, from: 0, layers: variable.layers[...], place, continues: parts != nil,
        &counter)
      files["\(variable.name)/.zarray"] = array.json.bytes
      files["\(variable.name)/.zattrs"] = metadata.attributes(variable).bytes
    }
    for (name, bytes) in files { try write(bytes, name) }
    try write(metadata.consolidated(files), ZarrStore.metadataName)
  }

  /// The names of the chunks of an axis, with their bytes.
  ///
  /// - Parameter first: the first chunk.
  private static func chunks(
    of axis: StoreMetadata.Axis, from first: Int = 0
  ) -> [(name: String, bytes: [UInt8])] {
    let size = axis.array.chunkBytes
    return (first..<max(1, axis.bytes.count / size)).map { index in
      let name = axis.array.chunkName(axis.array.shape.isEmpty ? [] : [index])
      return (name, Array(axis.bytes[index * size..<(index + 1) * size]))
    }
  }

  /// The layout of a variable of a new store.
  private func layout(of variable: StoreVariable) -> ZarrArray {
    let cellBytes = variable.type.byteCount * dates.count
    let chunk = StoreLayout.chunk(
      of: variable.layers[0].source.profile.grid, cellBytes: cellBytes,
      bytes: options.chunkBytes)
    return metadata.array(
      variable, dates: dates.count, chunk: [dates.count, chunk.height, chunk.width],
      level: Self.level)
  }

  // MARK: Chunks

  /// The folder in which chunks are written, and the folder to which they are moved.
  private struct Place {
    var folder: String
    var target: String?
  }

  /// Counts the cells that are written.
  private struct Counter {
    /// The number of grids of values to write: one for each date of each variable.
    let total: Int
    let report: (Double) -> Void
    var cells = 0

    init(total: Int, _ report: @escaping (Double) -> Void) {
      (self.total, self.report) = (total, report)
    }

    mutating func add(_ count: Int, ofGrid grid: Int) {
      cells += count
      report(Double(cells) / (Double(total) * Double(grid)))
    }
  }

  /// Writes the chunks of layers whose dates are consecutive in the store.
  ///
  /// - Parameters:
  ///   - first: the index of the first date in the store.
  ///   - continues: whether existing chunks are complete and are not written again.
  private func write(
    _ variable: StoreVariable, _ array: ZarrArray, from first: Int,
    layers: ArraySlice<StoreVariable.Layer>, _ place: Place, continues: Bool = false,
    _ counter: inout Counter
  ) throws {
    let grid = variable.layers[0].source.profile.grid
    let workers = options.workers
    let readers = WorkerStates(count: workers.count) {
      StoreReader(fileLimit: max(2, Self.fileLimit / workers.count))
    }
    // If chunks need much memory, fewer workers compress them.
    let packerCount = min(workers.count, max(1, Self.memory / (2 * array.chunkBytes)))
    let packers = try WorkerStates(count: packerCount) {
      try StorePacker(array, store: path, name: variable.name)
    }
    let length = array.chunks[0]
    // A resumed run repeats at most the window that was being written, so the windows of a resumable run
    // may be smaller.
    let cells = Double(grid.width) * Double(grid.height) * Double(layers.count)
    let share = cells * Double(array.type.byteCount) / 20
    let window =
      continues ? Int(min(Double(StoreLayout.usualWindow), share)) : StoreLayout.usualWindow
    var start = first
    while start < first + layers.count {
      let end = min(first + layers.count, (start / length + 1) * length)
      let writer = StoreWriter(
        variable: variable, array: array, dates: start..<end,
        layers: layers[layers.startIndex + start - first..<layers.startIndex + end - first],
        layout: try StoreLayout(
          of: grid, chunk: (array.chunks[2], array.chunks[1]),
          cellBytes: (end - start) * array.type.byteCount, memory: Self.memory,
          window: window),
        folder: place.folder, target: place.target, continues: continues, workers: workers,
        readers: readers, packers: packers)
      try writer.write { counter.add($0 * (end - start), ofGrid: grid.width * grid.height) }
      start = end
    }
  }
}

// MARK: - More dates

extension StackStore {
  private func append(_ progress: @escaping (Double) -> Void) throws {
    let store = try StoreAddition(path, metadata, variables, dates)
    let lock = try StoreLock(path)
    defer { withExtendedLifetime(lock) {} }
    // The folder of unfinished files is within the store, so that files can be moved on any file
    // system.
    let output = try OutputFile(
      target: "\(path)/\(ZarrStore.metadataName)", overwrite: true)
    let slash = output.temporaryPath.lastIndex(of: "/") ?? output.temporaryPath.startIndex
    let folder = String(output.temporaryPath[..<slash])
    do {
      var counter = Counter(total: dates.count * variables.count, progress)
      for (variable, array) in zip(variables, store.arrays) {
        try write(
          variable, array, from: store.dateCount, layers: variable.layers[...],
          Place(folder: folder, target: "\(path)/\(variable.name)"), &counter)
      }
      // Values beyond the end of an axis are not part of it until its metadata are replaced.
      let axis = metadata.timeAxis(store.times)
      let first = store.dateCount / StoreMetadata.timesPerChunk
      for (name, bytes) in Self.chunks(of: axis, from: first) {
        try NewFile.write(bytes, to: "\(folder)/\(name)")
        try NewFile.move("\(folder)/\(name)", to: "\(path)/\(axis.name)/\(name)")
      }
      var changed = ["\(axis.name)/.zarray": axis.array.json.bytes]
      for (variable, array) in zip(variables, store.arrays) {
        changed["\(variable.name)/.zarray"] = array.json.bytes
      }
      for (name, bytes) in changed.sorted(by: { $0.key < $1.key }) {
        try NewFile.write(bytes, to: "\(folder)/.zarray")
        try NewFile.move("\(folder)/.zarray", to: "\(path)/\(name)")
      }
      try NewFile.write(
        metadata.consolidated(
          store.files.merging(changed) { $1 }, isComplete: store.isComplete,
          isUnchanged: store.isUnchanged),
        to: output.temporaryPath)
      try output.commit()
    } catch {
      throw output.named(error)
    }
  }
}
