import CPlumb
import Plumb

/// A copy of the caller's locations.
struct CallerLocations: Sendable {
  let count: Int
  private let x: [Double]
  private let y: [Double]
  private let time: [Int64]
  /// The index of each location's name in the list of names; empty if there is one name per location, or no
  /// names.
  private let entity: [Int32]
  private let names: [UInt8]
  private let nameOffsets: [Int]
  private let horizontalAccuracy: [Double]
  private let verticalAccuracy: [Double]
  private let speed: [Double]
  private let course: [Double]
  private let attributes: AttributeRows

  /// - Throws: if a required pointer is null, or an index is out of range.
  init(_ input: plumb_locations) throws {
    guard input.count >= 0, input.count < Int64(Int32.max) else {
      throw CallError.bad("\(input.count) is not a valid number of locations")
    }
    let count = Int(input.count)
    self.count = count
    x = try Self.array(input.x, count, "the locations' x")
    y = try Self.array(input.y, count, "the locations' y")
    time = try Self.array(input.time, count, "the locations' time")
    horizontalAccuracy = try Self.optional(input.horizontal_accuracy, count)
    verticalAccuracy = try Self.optional(input.vertical_accuracy, count)
    speed = try Self.optional(input.speed, count)
    course = try Self.optional(input.course, count)
    entity = try Self.optional(input.entity, count)
    attributes = try AttributeRows(input.attributes, count: count, "the locations")
    (names, nameOffsets) = try Self.names(input)
    let nameCount = nameOffsets.count - 1
    if entity.isEmpty {
      guard nameCount == 0 || nameCount == count else {
        throw CallError.bad(
          "\(nameCount) names for \(count) locations: give one name per location, or the index of each "
            + "location's name")
      }
    } else if let wrong = entity.first(where: { $0 < 0 || Int($0) >= nameCount }) {
      throw CallError.bad("the name index \(wrong) is out of range for \(nameCount) names")
    }
  }

  private static func array<Element>(
    _ start: UnsafePointer<Element>?, _ count: Int, _ name: String
  ) throws -> [Element] {
    guard let start else {
      if count == 0 { return [] }
      throw CallError.null(name)
    }
    return Array(UnsafeBufferPointer(start: start, count: count))
  }

  private static func optional<Element>(
    _ start: UnsafePointer<Element>?, _ count: Int
  ) throws -> [Element] {
    start.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
  }

  private static func names(_ input: plumb_locations) throws -> ([UInt8], [Int]) {
    guard input.name_count > 0 else { return ([], [0]) }
    let offsets = try array(input.name_offsets, Int(input.name_count) + 1, "the names' offsets")
    guard let first = offsets.first, let last = offsets.last, first >= 0,
      zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
    else {
      throw CallError.bad("the names' offsets: they must be 0 or more and not decrease")
    }
    guard let start = input.name_bytes else {
      guard first == last else { throw CallError.null("the names' bytes") }
      return ([], offsets.map { _ in 0 })
    }
    let bytes = UnsafeRawBufferPointer(start: start + Int(first), count: Int(last - first))
    return (Array(bytes), offsets.map { Int($0 - first) })
  }

  /// Adds some of the locations to a feed.
  func add(_ range: Range<Int>, to pushed: inout PushedLocations) {
    names.withUnsafeBufferPointer { names in
      var known = [Int32?](repeating: nil, count: nameOffsets.count - 1)
      func number(_ name: Int, _ pushed: inout PushedLocations) -> Int32? {
        if let number = known[name] { return number }
        let bytes = UnsafeBufferPointer(rebasing: names[nameOffsets[name]..<nameOffsets[name + 1]])
        known[name] = pushed.entity(utf8: bytes)
        return known[name]
      }
      let noName = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      for row in range {
        var location = PushedLocations.Row(time: time[row], x: x[row], y: y[row])
        if !horizontalAccuracy.isEmpty { location.horizontalAccuracy = horizontalAccuracy[row] }
        if !verticalAccuracy.isEmpty { location.verticalAccuracy = verticalAccuracy[row] }
        if !speed.isEmpty { location.speed = speed[row] }
        if !course.isEmpty { location.course = course[row] }
        let entity =
          known.isEmpty
          ? pushed.entity(utf8: noName)
          : number(self.entity.isEmpty ? row : Int(self.entity[row]), &pushed)
        pushed.add(
          location, entity: entity,
          attributes: attributes.rows.isEmpty
            ? [] : Array(zip(attributes.names, attributes.rows[row])))
      }
    }
  }
}
