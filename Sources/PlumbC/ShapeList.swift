import CPlumb
import Plumb

/// A source of features with the caller's shapes, which are concatenated WKB.
///
/// Only one thread at a time may use a list.
final class ShapeList: InputSource {
  let fields: [Field] = []
  let spatialReference: SpatialReference?
  private(set) var faults = FeatureFaults()
  /// The indices, counted from 0, of shapes with invalid bytes.
  private(set) var faulty: [Int] = []
  /// The bytes of all shapes, as a copy or in the caller's memory.
  private let bytes: SharedPointer<UnsafePointer<UInt8>>?
  private let offsets: [Int64]
  private let isThere: [Bool]?
  /// The owner of the bytes; nil if the caller owns them.
  private let owner: TrivialBuffer<UInt8>?
  private var position = 0
  /// Whether the caller gives the CRS of the shapes. If so, CRSs in the WKB are ignored.
  private let isReferenceExplicit: Bool
  /// The CRSs in the WKB by their codes, and whether each equals the CRS of the list.
  private var known: [String: (reference: SpatialReference, isListReference: Bool)] = [:]

  /// - Parameters:
  ///   - copies: whether to copy the bytes, for work that may continue after the call.
  ///   - reference: the CRS of the shapes, which overrides CRSs in the WKB; nil to use the CRS in the WKB.
  /// - Throws: if a required pointer is null, or offsets decrease.
  init(_ shapes: plumb_shapes, reference: SpatialReference?, copies: Bool) throws {
    guard shapes.count >= 0, shapes.count < Int64(Int32.max) else {
      throw CallError.bad("\(shapes.count) is not a valid number of shapes")
    }
    isReferenceExplicit = reference != nil
    let count = Int(shapes.count)
    guard let offsets = shapes.offsets else {
      guard count == 0 else { throw CallError.null("the shapes' offsets") }
      (self.offsets, isThere, bytes, owner) = ([0], nil, nil, nil)
      spatialReference = reference
      return
    }
    let list = Array(UnsafeBufferPointer(start: offsets, count: count + 1))
    guard list[0] >= 0, zip(list, list.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      throw CallError.bad("the shapes' offsets: they must be 0 or more and not decrease")
    }
    isThere = shapes.valid.map { valid in (0..<count).map { valid[$0] != 0 } }
    let (start, end) = (Int(list[0]), Int(list[count]))
    guard let source = shapes.bytes else {
      guard start == end else { throw CallError.null("the shapes' bytes") }
      (self.offsets, bytes, owner) = (list.map { _ in 0 }, nil, nil)
      spatialReference = reference
      return
    }
    if copies {
      let duplicate = TrivialBuffer<UInt8>(count: end - start)
      duplicate.base.update(from: source + start, count: end - start)
      bytes = SharedPointer(UnsafePointer(duplicate.base))
      owner = duplicate
      self.offsets = list.map { $0 - list[0] }
    } else {
      (bytes, owner, self.offsets) = (SharedPointer(source), nil, list)
    }
    if let reference {
      spatialReference = reference
    } else {
      spatialReference = try Self.reference(bytes, self.offsets, isThere)
    }
  }

  /// The CRS in the WKB of the first shape that is not null.
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

  /// Returns a shape; nil if the shape is null or an empty collection, or if its bytes are invalid.
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
          let (reference, isListReference) = try self.reference(of: code)
          if !isListReference { other = reference }
          return reference
        })
      if let other {
        let label = spatialReference?.label ?? "unknown"
        throw FormatError(
          "WKB: the CRS of this shape is \(other.label), but the CRS of the first shape is \(label)"
        )
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
  ) throws -> (reference: SpatialReference, isListReference: Bool) {
    if let found = known[code] { return found }
    let reference = try SpatialReference(code)
    let isListReference =
      isReferenceExplicit || spatialReference?.isEquivalent(to: reference) ?? false
    known[code] = (reference, isListReference)
    return (reference, isListReference)
  }
}
