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
  private var layers: [Int: OwnLayerCursor] = [:]
  private var rasters: [Int: Raster] = [:]

  private struct Raster {
    var source: GDALRasterSource
    /// The reader, which is created when the first cell is requested.
    var reader: (any TileReader)?
  }

  /// Answers requests until the channel is closed, if the arguments request it; otherwise registers this
  /// program as a helper program.
  ///
  /// - Parameter arguments: the program's arguments, including its name.
  package static func runOrOffer(_ arguments: [String]) {
    if HelperProgram.isAsked || arguments.dropFirst() == [HelperProgram.argument] { run() }
    HelperProgram.offerThisProgram()
  }

  /// Isolates all formats, including raster formats, except the listed ones, which this process still reads.
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
      guard channel.send(service.answer(request)) else { break }
    }
    _exit(0)
  }

  private init(_ channel: HelperChannel) { self.channel = channel }

  private func answer(_ bytes: [UInt8]) -> [UInt8] {
    var request = Unpacker(bytes)
    do throws(GDALError) {
      guard let kind = HelperRequest(rawValue: try request.takeRaw(UInt8.self)) else {
        throw Unpacker.fault
      }
      channel.limitTime(seconds: try request.take())
      var parts = Packer()
      try answer(kind, &request, &parts)
      let head = HelperAnswer.packer(warnings: GDALLibrary.takeWarnings(), fault: nil)
      return head.bytes + parts.bytes
    } catch {
      return HelperAnswer.packer(warnings: GDALLibrary.takeWarnings(), fault: error).bytes
    }
  }

  private func answer(
    _ kind: HelperRequest, _ request: inout Unpacker, _ answer: inout Packer
  ) throws(GDALError) {
    switch kind {
    case .setUp: try setUp(&request)
    case .openLayer, .restart, .features, .points: try answerLayer(kind, &request, &answer)
    case .openRaster, .window, .transform, .geolocationPoints:
      try answerRaster(kind, &request, &answer)
    case .listing, .driver, .files, .layerNames, .isVectorOnly, .isRaster:
      try answerPath(kind, &request, &answer)
    case .close:
      for number in try request.take([Int].self) {
        layers[number] = nil
        rasters[number] = nil
      }
    }
  }

  private func setUp(_ request: inout Unpacker) throws(GDALError) {
    guard try request.take(Int.self) == HelperRequest.version else {
      throw GDALError("the helper process is of another version", code: .missingLibrary)
    }
    let scope: HelperScope = try request.take()
    _ = chdir(scope.workingFolder)
    // In the sandbox GDAL's library and the number of processors can no longer be read.
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

  private func answerLayer(
    _ kind: HelperRequest, _ request: inout Unpacker, _ answer: inout Packer
  ) throws(GDALError) {
    let number: Int = try request.take()
    if kind == .openLayer {
      let (path, access): (String, GDALAccess) = (try request.take(), try request.take())
      let (name, keepsText): (String?, Bool) = (try request.take(), try request.take())
      let cursor = OwnLayerCursor(
        try VectorLayer(path: path, layer: name, keepsText: keepsText, access: access))
      layers[number] = cursor
      answer.put(cursor.facts)
      return
    }
    guard let cursor = layers[number] else { throw Unpacker.fault }
    if kind == .restart {
      let box: [Double]? = try request.take()
      cursor.restart(
        in: box.map { Envelope(xMin: $0[0], yMin: $0[1], xMax: $0[2], yMax: $0[3]) })
    } else if kind == .features {
      let batch = try cursor.next(try request.take(), nil)
      answer.put(batch != nil)
      batch?.pack(into: &answer)
    } else {
      let batch = try cursor.nextPoints(try request.take())
      answer.put(batch != nil)
      batch?.pack(into: &answer)
    }
  }

  // MARK: Rasters

  private func answerRaster(
    _ kind: HelperRequest, _ request: inout Unpacker, _ answer: inout Packer
  ) throws(GDALError) {
    let number: Int = try request.take()
    if kind == .openRaster {
      let (path, access): (String, GDALAccess) = (try request.take(), try request.take())
      let source = try GDALRasterSource(path: path, access: access, level: try request.take())
      rasters[number] = Raster(source: source)
      answer.put(source.profile)
      answer.put(source.details)
      return
    }
    guard var raster = rasters[number] else { throw Unpacker.fault }
    if kind == .geolocationPoints {
      answer.put(raster.source.geolocationPoints)
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
        try transform(reader, &request, &answer)
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
      (plane, window) = (try request.take(), try request.take())
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
    _ reader: any TileReader, _ request: inout Unpacker, _ answer: inout Packer
  ) throws(RasterError) {
    var (x, y): ([Double], [Double])
    let toGrid: Bool
    do throws(GDALError) {
      toGrid = try request.take()
      (x, y) = (try request.takeAll(Double.self), try request.takeAll(Double.self))
    } catch {
      throw RasterError(error)
    }
    if toGrid {
      try reader.mapToGrid(x: &x, y: &y, count: min(x.count, y.count))
    } else {
      try reader.mapFromGrid(x: &x, y: &y, count: min(x.count, y.count))
    }
    answer.putAll(x)
    answer.putAll(y)
  }

  // MARK: Paths

  private func answerPath(
    _ kind: HelperRequest, _ request: inout Unpacker, _ answer: inout Packer
  ) throws(GDALError) {
    let (path, access): (String, GDALAccess) = (try request.take(), try request.take())
    switch kind {
    case .listing: answer.put(VectorListing(opening: path, access))
    case .driver:
      let content = try request.take(Bool.self) ? GDAL_OF_RASTER : GDAL_OF_VECTOR
      answer.put(SourceRoute.driver(of: path, UInt32(content), among: access.drivers, access))
    case .files:
      let isRaster: Bool = try request.take()
      answer.put(
        try SourceInspection.ownFiles(of: path, as: isRaster ? .raster : .vector, access))
    case .layerNames: answer.put(try SourceInspection.layerNames(of: path, access: access))
    case .isVectorOnly: answer.put(try SourceInspection.isVectorOnly(path, access: access))
    default: answer.put(GDALRasterSource.isRaster(path: path))
    }
  }
}

extension GDALError {
  /// Converts an error of a raster for another process.
  fileprivate init(_ error: RasterError) {
    self.init(error.message, code: error.code)
    isRefusal = !error.remedies.isEmpty
  }
}
