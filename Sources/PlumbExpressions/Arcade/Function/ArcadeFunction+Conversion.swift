extension ArcadeFunction {
  static let conversions: [ArcadeFunction] = [
    ArcadeFunction("Boolean", .conversion, 1...1) { .boolean($0[0].isTrue) },
    ArcadeFunction("Number", .conversion, 1...2) { values throws(ArcadeFailure) in
      // The pattern only applies to text.
      guard case .text(let text) = values[0] else { return .number(values[0].asNumber) }
      let pattern = try values.text(1)
      guard !pattern.isEmpty else { return .number(values[0].asNumber) }
      try values.spend(text: text.utf8.count + pattern.utf8.count)
      let known = try values.context.patterns?.number(pattern)
      let format = if let known { known } else { try ArcadeNumberPattern(pattern) }
      return .number(format.number(of: text) ?? .nan)
    },
    ArcadeFunction("TypeOf", .conversion, 1...1) { .text($0[0].typeName) },
    ArcadeFunction("FromJSON", .conversion, 1...1) { values throws(ArcadeFailure) in
      guard case .text(let text) = values[0] else { throw values.wrong(0, "text") }
      return try ArcadeJSONReader.value(text, values.context)
    },
  ]
}
