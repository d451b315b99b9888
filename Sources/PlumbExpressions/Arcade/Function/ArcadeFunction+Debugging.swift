extension ArcadeFunction {
  static let debugging: [ArcadeFunction] = [
    // Logs the values as text, separated by spaces.
    ArcadeFunction("Console", .debugging, 0...Int.max) { values throws(ArcadeFailure) in
      guard values.context.hasConsole else { return .null }
      var message = ""
      for index in 0..<values.count {
        let part = try values.text(index)
        try values.spend(text: part.utf8.count + 1)
        if index > 0 { message += " " }
        message += part
      }
      values.context.log(message)
      return .null
    }
  ]
}
