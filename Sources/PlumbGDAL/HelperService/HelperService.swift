import CGDAL
import PlumbCore
import PlumbIO
import PlumbRaster
import PlumbSandbox

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The service in a helper process: opens and reads sources for the process that started it.
package final class HelperService {
  private let channel: HelperChannel
  private var layers: [Int: LocalLayerCursor] = [:]
  private var rasters: [Int: Raster] = [:]

  private struct Raster {
    var source: GDALRasterSource
    /// The reader, which is created when the first cell is requested.
    var reader: (any TileReader)?
  }

  /// If this process was started as a helper, answers requests until the channel is closed, then
  /// exits. Otherwise, registers this program as a helper program.
  ///
  /// - Parameter arguments: the program's arguments, including its name.
  package static func runOrOffer(_ arguments: [String]) {
    if HelperProgram.isRequested || arguments.dropFirst() == [HelperProgram.argument] { run() }
    HelperProgram.offerThisProgram()
  }

  /// Causes all sources to be read in helper processes, including rasters, except for the few formats
  /// that this process always reads itself.
  package static func isolateAll() { SourceRoute.isStrict.store(true, ordering: .relaxed) }

  /// Answers requests until the channel is closed, then exits.
  package static func run() -> Never {
    guard let channel = HelperChannel(memorySize: HelperRequest.memorySize) else {
      let line = "plumb-reader: this program is started by Plumb, to read formats for it\n"
      _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      exit(2)
    }
    LibraryFault.handle()
    SourceRoute.isHelper.store(true, ordering: .relaxed)
    let service = HelperService(channel)
    while let request = channel.receive() {
      guard channel.send(service.reply(request)) else { break }
    }
    _exit(0)
  }

  private init(_ channel: HelperChannel) { self.channel = channel }

  private func reply(_ bytes: [UInt8]) -> [UInt8] {
    var request = Unpacker(bytes)
    do throws(GDALError) {
      guard let kind = HelperRequest(rawValue: try request.readRaw(UInt8.self)) else {
        throw Unpacker.fault
      }
      channel.limitTime(seconds: try request.read())
      var parts = Packer()
      try reply(kind, &request, &parts)
      let head = HelperReply.packer(warnings: GDALLibrary.drainWarnings(), fault: nil)
      return head.bytes + parts.bytes
    } catch {
      return HelperReply.packer(warnings: GDALLibrary.drainWarnings(), fault: error).bytes
    }
  }

  private func reply(
    _ kind: HelperRequest, _ request: inout Unpacker, _ reply: inout Packer
  ) throws(GDALError) {
    switch kind {
    case .setUp: try setUp(&request)
    case .openLayer, .restart, .features, .points: try handleLayer(kind, &request, &reply)
    case .openRaster, .window, .transform, .geolocationPoints:
      try handleRaster(kind, &request, &reply)
    case .listing, .driver, .files, .layerNames, .isVectorOnly, .isRaster:
      try handlePath(kind, &request, &reply)
    case .close:
      for number in try request.read([Int].self) {
        layers[number] = nil
        rasters[number] = nil
      }
    }
  }

  private func setUp(_ request: inout Unpacker) throws(GDALError) {
    guard try request.read(Int.self) == HelperRequest.version else {
      throw GDALError("the helper process has a different version", code: .missingLibrary)
    }
    let scope: HelperScope = try request.read()
    _ = chdir(scope.workingFolder)
    // In the sandbox, GDAL's library and the number of processors cannot be read.
    try GDALLibrary.load()
    for setting in scope.settings {
      guard let equals = setting.firstIndex(of: "=") else { continue }
      CPLSetConfigOption(
        String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
    }
    _ = Workers()
    channel.limit(.current)
    HelperSandbox.enter(folder: scope.folder, allowsNetwork: scope.allowsNetwork)
    channel.endWithOther()
  }

  // MARK: Layers

  private func handleLayer(
    _ kind: HelperRequest, _ request: inout Unpacker, _ reply: inout Packer
  ) throws(GDALError) {
    let number: Int = try request.read()
    if kind == .openLayer {
      let (path, access): (String, GDALAccess) = (try request.read(), try request.read())
      let (name, keepsText): (String?, Bool) = (try request.read(), try request.read())
      let cursor = LocalLayerCursor(
        try VectorLayer(path: path, layer: name, keepsText: keepsText, access: access))
      layers[number] = cursor
      reply.put(cursor.facts)
      return
    }
    guard let cursor = layers[number] else { throw Unpacker.fault }
    if kind == .restart {
      let box: [Double]? = try request.read()
      cursor.restart(
        in: box.map { Envelope(xMin: $0[0], yMin: $0[1], xMax: $0[2], yMax: $0[3]) })
    } else if kind == .features {
      let batch = try cursor.next(try request.read(), nil)
      reply.put(batch != nil)
      batch?.pack(into: &reply)
    } else {
      let batch = try cursor.nextPoints(try request.read())
      reply.put(batch != nil)
      batch?.pack(into: &reply)
    }
  }

  // MARK: Rasters

  private func handleRaster(
    _ kind: HelperRequest, _ request: inout Unpacker, _ reply: inout Packer
  ) throws(GDALError) {
    let number: Int = try request.read()
    if kind == .openRaster {
      let (path, access): (String, GDALAccess) = (try request.read(), try request.read())
      let source = try GDALRasterSource(path: path, access: access, level: try request.read())
      rasters[number] = Raster(source: source)
      reply.put(source.profile)
      reply.put(source.details)
      return
    }
    guard var raster = rasters[number] else { throw Unpacker.fault }
    if kind == .geolocationPoints {
      reply.put(raster.source.geolocationPoints)
      return
    }
    do throws(RasterError) {
      if raster.reader == nil {
        raster.reader = try raster.source.makeReader()
        rasters[number] = raster
      }
      guard let reader = raster.reader else { return }
      if kind == .window {
        try read(reader, raster.source.profile, &request)
      } else {
        try transform(reader, &request, &reply)
      }
    } catch {
      throw GDALError(error)
    }
  }

  private func read(
    _ reader: any TileReader, _ profile: RasterProfile, _ request: inout Unpacker
  ) throws(RasterError) {
    let (plane, window): (Int, CellWindow)
    do throws(GDALError) {
      (plane, window) = (try request.read(), try request.read())
    } catch {
      throw RasterError(error)
    }
    let memory = channel.memory.pointer
    let size = profile.cellStride(plane: plane)
    guard let base = memory.baseAddress, window.width * window.height * size <= memory.count else {
      throw RasterError("a window is larger than \(memory.count >> 20) MB")
    }
    try reader.readWindow(
      plane: plane, window, into: base, cellStride: size, rowStride: size * window.width)
  }

  private func transform(
    _ reader: any TileReader, _ request: inout Unpacker, _ reply: inout Packer
  ) throws(RasterError) {
    var (x, y): ([Double], [Double])
    let toGrid: Bool
    do throws(GDALError) {
      toGrid = try request.read()
      (x, y) = (try request.readAll(Double.self), try request.readAll(Double.self))
    } catch {
      throw RasterError(error)
    }
    if toGrid {
      try reader.mapToGrid(x: &x, y: &y, count: min(x.count, y.count))
    } else {
      try reader.mapFromGrid(x: &x, y: &y, count: min(x.count, y.count))
    }
    reply.putAll(x)
    reply.putAll(y)
  }

  // MARK: Paths

  private func handlePath(
    _ kind: HelperRequest, _ request: inout Unpacker, _ reply: inout Packer
  ) throws(GDALError) {
    let (path, access): (String, GDALAccess) = (try request.read(), try request.read())
    switch kind {
    case .listing: reply.put(VectorListing(opening: path, access))
    case .driver:
      let content = try request.read(Bool.self) ? GDAL_OF_RASTER : GDAL_OF_VECTOR
      reply.put(SourceRoute.driver(of: path, UInt32(content), among: access.drivers, access))
    case .files:
      let isRaster: Bool = try request.read()
      reply.put(
        try SourceInspection.filesOfSource(of: path, as: isRaster ? .raster : .vector, access))
    case .layerNames: reply.put(try SourceInspection.layerNames(of: path, access: access))
    case .isVectorOnly: reply.put(try SourceInspection.isVectorOnly(path, access: access))
    default: reply.put(GDALRasterSource.isRaster(path: path))
    }
  }
}

extension GDALError {
  /// Converts an error of a raster so that it can be sent to another process.
  fileprivate init(_ error: RasterError) {
    self.init(error.message, code: error.code)
    isRefusal = !error.remedies.isEmpty
  }
}
