import PlumbCore
import PlumbIO

extension EsriCurve {
  /// The parsed JSON of a curve, with its kind and its values. A value is the list of a point's
  /// coordinates, or a list of one number, which is 1 for true and 0 for false.
  struct Text {
    var kind: UInt8
    var values: [[Double]]
    var start: JSONScanner

    /// Reads a curve object.
    init(_ scanner: inout JSONScanner) throws(FormatError) {
      start = scanner
      var found: (UInt8, [[Double]])?
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let name = Array(scanner.text(of: key).utf8)
        guard name.count == 1, "abc".utf8.contains(name[0]) else {
          try scanner.skipValue()
          continue
        }
        guard found == nil else {
          throw start.misfit("a curve must have only one of the members a, b and c")
        }
        var values: [[Double]] = []
        try scanner.readArray(of: "a curve's points") { value throws(FormatError) in
          guard values.count < 7 else {
            throw value.misfit("a curve may have at most seven values")
          }
          values.append(try Self.value(&value))
        }
        found = (name[0], values)
      }
      guard let found else { throw start.misfit("a curve must have a member a, b or c") }
      (kind, values) = found
    }

    private static func value(_ scanner: inout JSONScanner) throws(FormatError) -> [Double] {
      switch scanner.peek() {
      case UInt8(ascii: "[")?:
        var numbers: [Double] = []
        try scanner.readArray(of: "numbers") { number throws(FormatError) in
          guard numbers.count < 4 else {
            throw number.misfit("a vertex may have at most four numbers")
          }
          // In a point, only heights and measures may be missing.
          numbers.append(
            numbers.count < 2 ? try number.readFinite() : try number.readEsriNumber() ?? .nan)
        }
        return numbers
      case UInt8(ascii: "t")?, UInt8(ascii: "f")?:
        guard case .boolean(let flag) = try scanner.readFieldValue() else { return [] }
        return [flag ? 1 : 0]
      default: return [try scanner.readFinite()]
      }
    }

    /// The coordinates of the curve's end.
    var end: [Double] { values.first ?? [] }

    /// The curve that starts at a vertex.
    ///
    /// - Throws: if values are missing or are not points where points are required.
    func curve(from vertex: SIMD2<Double>) throws(FormatError) -> EsriCurve {
      let points = values.prefix(while: { $0.count >= 2 }).map { SIMD2($0[0], $0[1]) }
      let numbers = values.dropFirst(points.count).compactMap { $0.count == 1 ? $0[0] : nil }
      let isComplete = points.count + numbers.count == values.count
      switch (kind, points.count, numbers.count) {
      case (UInt8(ascii: "c"), 2, 0) where isComplete:
        return .circle(from: vertex, over: points[1], to: points[0])
      case (UInt8(ascii: "b"), 3, 0) where isComplete:
        return .bezier(vertex, points[1], points[2], points[0])
      case (UInt8(ascii: "a"), 2, 2) where isComplete:
        return .round(
          points[1], from: vertex, to: points[0], isClockwise: numbers[1] != 0,
          isMinor: numbers[0] != 0)
      case (UInt8(ascii: "a"), 2, 5) where isComplete:
        guard numbers[3] > 0, numbers[4] > 0 else {
          throw start.misfit("the axis and ratio of an elliptic arc must be greater than 0")
        }
        return .ellipse(
          points[1], rotation: numbers[2], axis: numbers[3], ratio: numbers[4], from: vertex,
          to: points[0], isClockwise: numbers[1] != 0, isMinor: numbers[0] != 0)
      default:
        throw start.misfit(
          "a curve must be {\"c\": [end, interior]}, {\"b\": [end, control, control]} or {\"a\": [end, "
            + "centre, minor, clockwise, rotation, axis, ratio]}")
      }
    }
  }
}
