/// Base64 encoding.
enum Base64 {
  private static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(bytes.count, start + 3)]
      var group: UInt32 = 0
      for byte in part { group = group << 8 | UInt32(byte) }
      group <<= UInt32(8 * (3 - part.count))
      for index in 0..<4 {
        result.append(
          index <= part.count
            ? letters[Int(group >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
