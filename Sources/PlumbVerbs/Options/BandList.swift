import PlumbCore

/// Checks the bands of a request.
enum BandList {
  /// - Throws: if a number is below 1, or if a band is listed twice.
  static func check(_ bands: [Int]) throws(OptionViolation) {
    var seen: Set<Int> = []
    for band in bands {
      guard band >= 1 else {
        throw OptionViolation("\(.band): \(band) is not a band; bands count from 1")
      }
      guard seen.insert(band).inserted else {
        throw OptionViolation("\(.band): band \(band) is given twice")
      }
    }
  }
}
