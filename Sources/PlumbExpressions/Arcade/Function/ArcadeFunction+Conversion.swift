extension ArcadeFunction {
  static let conversions: [ArcadeFunction] = [
    ArcadeFunction("Boolean", .conversion, 1...1) { .boolean($0[0].isTrue) },
    ArcadeFunction("Number", .conversion, 1...1) { .number($0[0].asNumber) },
    ArcadeFunction("TypeOf", .conversion, 1...1) { .text($0[0].typeName) },
    ArcadeFunction("FromJSON", .conversion, 1...1) { values throws(ArcadeFailure) in
      guard case .text(let text) = values[0] else { throw values.wrong(0, "a text") }
      return try ArcadeJSONReader.value(text, values.context)
    },
  ]
}
