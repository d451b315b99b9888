/// The frame of a request or a response on a helper's channel. A frame starts with its length as a
/// little-endian number of four bytes, followed by the bytes of the content.
enum HelperFrame {
  static let headSize = 4

  static func head(_ count: Int) -> [UInt8] {
    (0..<headSize).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
  }

  static func count(_ head: [UInt8]) -> Int {
    head.enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
  }
}
