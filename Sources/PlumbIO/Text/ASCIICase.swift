import PlumbCore

extension UnsafeBufferPointer where Element == UInt8 {
  /// Whether the bytes equal a lower-case name, ignoring the case of ASCII letters.
  package func isName(_ lowercase: [UInt8]) -> Bool {
    guard count == lowercase.count else { return false }
    for index in 0..<count where self[index].lowercasedASCII != lowercase[index] { return false }
    return true
  }
}
