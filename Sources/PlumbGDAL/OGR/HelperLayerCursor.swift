import PlumbCore
import PlumbGeometry
import PlumbSandbox

/// The features of a layer that helper processes read.
final class HelperLayerCursor: LayerCursor {
  let facts: LayerFacts
  let isIsolated = true
  private let source: HelperSource
  /// The helper while features are read, which stand in their order in that process alone.
  private(set) var member: HelperMember?
  private var window: Envelope?
  private var isDone = false
  /// Bytes of features since the first, and how many there may be: a few words may stand for features
  /// without end.
  private var byteCount = 0
  private let byteLimit: Int
  /// How many times its size a file may unpack to.
  private static let growth = 100
  /// Whether the next request starts from the first feature.
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
    var answer = try source.open()
    facts = try answer.take()
    if access.trust == .document, let text = facts.referenceText,
      let file = SpatialReference.file(namedIn: text)
    {
      throw .refusal(of: path, "its reference names \(file.printable)")
    }
  }

  deinit { release() }

  private func release() {
    if let member { HelperPool.give(member) }
    member = nil
  }

  func restart(in window: Envelope?) {
    release()
    self.window = window
    (isDone, isAtStart, byteCount) = (false, true, 0)
  }

  func next(
    _ reading: FeatureReading, _ reference: SpatialReference?
  ) throws(GDALError) -> FeatureBatch? {
    guard var answer = try ask(.features, reading) else { return nil }
    guard try answer.take(Bool.self) else { return end() }
    return try FeatureBatch(from: &answer, reference, columnCount: facts.fields.count)
  }

  func nextPoints(_ reading: FeatureReading) throws(GDALError) -> VectorBatch? {
    guard var answer = try ask(.points, reading) else { return nil }
    guard try answer.take(Bool.self) else { return end() }
    return try VectorBatch(from: &answer, columnCount: facts.fields.count)
  }

  private func end<Value>() -> Value? {
    isDone = true
    release()
    return nil
  }

  private func ask(
    _ request: HelperRequest, _ reading: FeatureReading
  ) throws(GDALError) -> Unpacker? {
    guard !isDone else { return nil }
    if isAtStart {
      release()
      let taken = try source.take()
      member = taken
      let box = window.map { [$0.xMin, $0.yMin, $0.xMax, $0.yMax] }
      do throws(GDALError) {
        _ = try source.ask(.restart, { $0.put(box) }, of: taken)
      } catch {
        release()
        throw error
      }
      isAtStart = false
    }
    guard let member else { throw Self.lost(source.path) }
    do throws(GDALError) {
      let answer = try source.ask(request, { $0.put(reading) }, of: member)
      byteCount += answer.count
      guard byteCount <= byteLimit else {
        throw GDALError(
          "\(source.path.printable) holds more than \(byteLimit >> 20) MB of features, many times "
            + "its own size (PLUMB_READER_MEMORY)", code: .limit)
      }
      return answer
    } catch {
      // The process that had the position is gone.
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
