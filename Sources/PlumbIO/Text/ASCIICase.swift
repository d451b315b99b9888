import PlumbCore

extension UnsafeBufferPointer where Element == UInt8 {
  /// Whether the bytes are a name in lower case, whatever the case of their ASCII letters.
  package func isName(_ lowercase: [UInt8]) -> Bool {
    guard count == lowercase.count else { return false }
    for index in 0..<count where self[index].lowercasedASCII != lowercase[index] { return false }
    return true
  }
}
