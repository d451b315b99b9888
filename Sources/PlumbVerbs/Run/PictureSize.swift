import Plumb

/// The width and height of a picture in pixels.
package struct PictureSize: Sendable, Equatable {
  package var width = 1200
  package var height = 800

  package init() {}

  /// Reads `1200x800`; nil for other text and for sides that are too long.
  package init?(text: String) {
    let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let sides = parts.compactMap { Int($0) }
    guard parts.count == 2, sides.count == 2,
      sides.allSatisfy({ (1...Canvas.longestSide).contains($0) })
    else { return nil }
    (width, height) = (sides[0], sides[1])
  }
}
