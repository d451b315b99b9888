import PlumbCore
import PlumbGeometry
import PlumbSandbox

/// The features of a layer that is read in a helper process.
final class HelperLayerCursor: LayerCursor {
  let facts: LayerFacts
  let isIsolated = true
  private let source: HelperSource
  /// The helper process while features are read; otherwise nil. The reading position exists only in
  /// the helper process.
  private(set) var member: HelperMember?
  private var window: Envelope?
  private var isDone = false
  /// The size in bytes of the features read so far. It is limited by `byteLimit`, because a few
  /// bytes of a file may decode to an unlimited number of features.
  private var byteCount = 0
  private let byteLimit: Int
  /// The maximum ratio of the size of the features to the size of the file.
  private static let growth = 100
  /// Whether the next request begins at the first feature.
  private var isAtStart = true

  init(
    path: String, layer name: String?, keepsText: Bool, access: GDALAccess
  ) throws(GDALError) {
    source = HelperSource(path, access, .openLayer) { packer in
      packer.put(name)
      packer.put(keepsText)
    }
    byteLimit =
      HelperLimits.current.memory / 16 + Self.growth * min(1 << 40, HelperSource.size(of: path))
    var reply = try source.open()
    facts = try reply.read()
    if access.trust == .document, let text = facts.referenceText,
      let file = SpatialReference.file(namedIn: text)
    {
      throw .refusal(of: path, "its CRS names \(file.printable)")
    }
  }

  deinit { release() }

  private func release() {
    if let member { HelperPool.release(member) }
    member = nil
  }

  func restart(in window: Envelope?) {
    release()
    self.window = window
    (isDone, isAtStart, byteCount) = (false, true, 0)
  }

  /// Does nothing, because no helper process connects to a database.
  func select(_ condition: String?) {}

  func next(
    _ reading: FeatureReading, _ reference: SpatialReference?
  ) throws(GDALError) -> FeatureBatch? {
    guard var reply = try send(.features, reading) else { return nil }
    guard try reply.read(Bool.self) else { return end() }
    return try FeatureBatch(from: &reply, reference, columnCount: facts.fields.count)
  }

  func nextPoints(_ reading: FeatureReading) throws(GDALError) -> VectorBatch? {
    guard var reply = try send(.points, reading) else { return nil }
    guard try reply.read(Bool.self) else { return end() }
    return try VectorBatch(from: &reply, columnCount: facts.fields.count)
  }

  private func end<Value>() -> Value? {
    isDone = true
    release()
    return nil
  }

  private func send(
    _ request: HelperRequest, _ reading: FeatureReading
  ) throws(GDALError) -> Unpacker? {
    guard !isDone else { return nil }
    if isAtStart {
      release()
      let reserved = try source.reserve()
      member = reserved
      let box = window.map { [$0.xMin, $0.yMin, $0.xMax, $0.yMax] }
      do throws(GDALError) {
        _ = try source.send(.restart, { $0.put(box) }, of: reserved)
      } catch {
        release()
        throw error
      }
      isAtStart = false
    }
    guard let member else { throw Self.lost(source.path) }
    do throws(GDALError) {
      let reply = try source.send(request, { $0.put(reading) }, of: member)
      byteCount += reply.count
      guard byteCount <= byteLimit else {
        throw GDALError(
          "\(source.path.printable) has more than \(byteLimit >> 20) MB of features, many times "
            + "its own size (PLUMB_READER_MEMORY)", code: .limit)
      }
      return reply
    } catch {
      // The process that had the reading position has ended.
      if error.isHelperFault { release() }
      throw error
    }
  }

  private static func lost(_ path: String) -> GDALError {
    var error = GDALError("\(path.printable): the helper process that read it has ended")
    error.isHelperFault = true
    return error
  }
}
