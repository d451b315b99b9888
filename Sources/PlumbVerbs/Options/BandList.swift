import PlumbCore

/// The bands that a request names.
enum BandList {
  /// - Throws: for a number below 1, and for a band that is named twice.
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
