/// Marks of nodes or of spans, one bit each.
struct Marks {
  let base: UnsafeMutablePointer<UInt32>
  let epoch: UInt32

  @inline(__always)
  func has(_ item: Int, _ bit: UInt32) -> Bool {
    let word = base[item]
    return word >= epoch && word & bit != 0
  }

  /// - Returns: false when it was set already.
  @inline(__always)
  func set(_ item: Int, _ bit: UInt32) -> Bool {
    let word = base[item]
    if word < epoch {
      base[item] = epoch | bit
      return true
    }
    if word & bit != 0 { return false }
    base[item] = word | bit
    return true
  }

  @inline(__always)
  func clear(_ item: Int, _ bit: UInt32) {
    if base[item] >= epoch { base[item] &= ~bit }
  }

  @inline(__always)
  func bits(_ item: Int) -> UInt32 {
    let word = base[item]
    return word >= epoch ? word & (1 << TraceScratch.markBits - 1) : 0
  }
}
