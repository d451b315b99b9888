import CPlumb
import Plumb

/// A caller's shapes as WKB, one after another, as a source of features.
///
/// One thread at a time may use it.
final class ShapeList: InputSource {
  let fields: [Field] = []
  let spatialReference: SpatialReference?
  private(set) var faults = FeatureFaults()
  /// The shapes, counted from 0, whose bytes are none of a shape.
  private(set) var faulty: [Int] = []
  /// The bytes of all, or where each is without a copy.
  private let bytes: SharedPointer<UnsafePointer<UInt8>>?
  private let offsets: [Int64]
  private let isThere: [Bool]?
  /// Holds the bytes, where the caller does not.
  private let owner: TrivialBuffer<UInt8>?
  private var position = 0
  /// Whether the caller says what the shapes are in, so that their bytes do not matter.
  private let isReferenceGiven: Bool
  /// The references by their codes in the bytes, and whether each is that of the list.
  private var known: [String: (reference: SpatialReference, isOwn: Bool)] = [:]

  /// - Parameters:
  ///   - copies: whether the bytes are copied, for work that may go on when the call has ended.
  ///   - reference: what the shapes are in, whatever their bytes say; nil believes those.
  /// - Throws: when a pointer is null that may not be, or an offset is less than the one before.
  init(_ shapes: plumb_shapes, reference: SpatialReference?, copies: Bool) throws {
    guard shapes.count >= 0, shapes.count < Int64(Int32.max) else {
      throw CallError.bad("there cannot be \(shapes.count) shapes")
    }
    isReferenceGiven = reference != nil
    let count = Int(shapes.count)
    guard let offsets = shapes.offsets else {
      guard count == 0 else { throw CallError.null("the shapes' offsets") }
      (self.offsets, isThere, bytes, owner) = ([0], nil, nil, nil)
      spatialReference = reference
      return
    }
    let list = Array(UnsafeBufferPointer(start: offsets, count: count + 1))
    guard list[0] >= 0, zip(list, list.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw CallError.bad("the shapes' offsets: each is to be 0 or more, none less than the last")
    }
    isThere = shapes.valid.map { valid in (0..<count).map { valid[$0] != 0 } }
    let (start, end) = (Int(list[0]), Int(list[count]))
    guard let given = shapes.bytes else {
      guard start == end else { throw CallError.null("the shapes' bytes") }
      (self.offsets, bytes, owner) = (list.map { _ in 0 }, nil, nil)
      spatialReference = reference
      return
    }
    if copies {
      let own = TrivialBuffer<UInt8>(count: end - start)
      own.base.update(from: given + start, count: end - start)
      bytes = SharedPointer(UnsafePointer(own.base))
      owner = own
      self.offsets = list.map { $0 - list[0] }
    } else {
      (bytes, owner, self.offsets) = (SharedPointer(given), nil, list)
    }
    if let reference {
      spatialReference = reference
    } else {
      spatialReference = try Self.reference(bytes, self.offsets, isThere)
    }
  }

  /// What the first shape that is there says it is in.
  private static func reference(
    _ bytes: SharedPointer<UnsafePointer<UInt8>>?, _ offsets: [Int64], _ isThere: [Bool]?
  ) throws -> SpatialReference? {
    for number in 0..<offsets.count - 1 {
      guard isThere?[number] ?? true, offsets[number + 1] > offsets[number], let bytes else {
        continue
      }
      let range = Int(offsets[number])..<Int(offsets[number + 1])
      return try? WKBGeometry.decode(
        UnsafeRawBufferPointer(start: bytes.pointer + range.lowerBound, count: range.count),
        resolving: { try SpatialReference($0) })?.spatialReference
    }
    return nil
  }

  var featureCount: Int? { offsets.count - 1 }

  func next(limit: Int) throws -> [Feature]? {
    let range = position..<min(offsets.count - 1, position + max(1, limit))
    guard !range.isEmpty else { return nil }
    position = range.upperBound
    return range.map { Feature(geometry: geometry($0)) }
  }

  /// A shape; nil for a null one, an empty collection, and one whose bytes are wrong.
  func geometry(_ number: Int) -> Geometry? {
    guard isThere?[number] ?? true, offsets[number + 1] > offsets[number], let bytes else {
      return nil
    }
    let range = Int(offsets[number])..<Int(offsets[number + 1])
    do throws(FormatError) {
      var other: SpatialReference?
      var geometry = try WKBGeometry.decode(
        UnsafeRawBufferPointer(start: bytes.pointer + range.lowerBound, count: range.count),
        reference: spatialReference,
        resolving: { code in
          let (reference, isOwn) = try self.reference(of: code)
          if !isOwn { other = reference }
          return reference
        })
      if let other {
        let own = spatialReference?.label ?? "unknown"
        throw FormatError("WKB: it is in \(other.label), and the first shape's is \(own)")
      }
      if let spatialReference { geometry?.spatialReference = spatialReference }
      return geometry
    } catch {
      faults.add("feature \(number): \(error.summary)")
      faulty.append(number)
      return nil
    }
  }

  private func reference(
    of code: String
  ) throws -> (reference: SpatialReference, isOwn: Bool) {
    if let found = known[code] { return found }
    let reference = try SpatialReference(code)
    let isOwn = isReferenceGiven || spatialReference?.isEquivalent(to: reference) ?? false
    known[code] = (reference, isOwn)
    return (reference, isOwn)
  }
}
