extension String {
  /// The string without leading and trailing spaces, tabs and line breaks.
  package func trimmingASCIISpace() -> String {
    let isSpace: (Character) -> Bool = { " \t\r\n".contains($0) }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}
