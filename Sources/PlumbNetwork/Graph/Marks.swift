/// The marks of a trace; nodes and spans use the same set of marks.
enum Mark {
  /// Reached in the search for controllers.
  static let found: UInt32 = 1
  /// Reached in the second pass.
  static let region: UInt32 = 2
  /// Reached from the controllers.
  static let supplied: UInt32 = 4
  /// Reached from the controllers with the isolating barriers closed.
  static let stillSupplied: UInt32 = 8
  static let barrier: UInt32 = 16
  static let filterBarrier: UInt32 = 32
  /// A start that is exempt from conditions.
  static let exempt: UInt32 = 64
  /// Closed by an isolation.
  static let closed: UInt32 = 128
  static let result: UInt32 = 256
  static let inoperable: UInt32 = 512
  /// Reached but not crossed by the flood whose reached elements become the result.
  static let stopped: UInt32 = 1024
  /// Part of an element at which an isolation starts.
  static let startElement: UInt32 = 2048
  /// Possibly in the result.
  static let possible: UInt32 = 4096
  /// A span that is a vertex of a supply graph.
  static let numbered: UInt32 = 8192
  /// Elements without supply before an isolation.
  static let dry: UInt32 = 16384
  /// Reached, but not yet sorted into certain and possible.
  static let candidate: UInt32 = 32768
  /// A start that is a barrier, in a trace that ignores barriers at starts. It blocked supply before the
  /// isolation.
  static let shut: UInt32 = 65536
}

/// Marks of nodes or of spans, one bit each.
@safe struct Marks {
  let base: UnsafeMutablePointer<UInt32>
  let epoch: UInt32

  @inline(__always)
  func has(_ item: Int, _ bit: UInt32) -> Bool {
    let word = unsafe base[item]
    return word >= epoch && word & bit != 0
  }

  /// - Returns: false if the mark was already set.
  @inline(__always)
  func set(_ item: Int, _ bit: UInt32) -> Bool {
    let word = unsafe base[item]
    if word < epoch {
      unsafe base[item] = epoch | bit
      return true
    }
    if word & bit != 0 { return false }
    unsafe base[item] = word | bit
    return true
  }

  @inline(__always)
  func clear(_ item: Int, _ bit: UInt32) {
    if unsafe base[item] >= epoch { unsafe base[item] &= ~bit }
  }

  @inline(__always)
  func bits(_ item: Int) -> UInt32 {
    let word = unsafe base[item]
    return word >= epoch ? word & (1 << TraceScratch.markBits - 1) : 0
  }
}
