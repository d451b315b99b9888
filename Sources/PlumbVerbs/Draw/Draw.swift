import Plumb
import PlumbCore

/// The verb `draw`: draws a map as a picture.
package enum Draw {
  /// The options of a draw request.
  package struct Request: Sendable, Equatable {
    /// The path of a map document, a raster or a file of features.
    package var map: String?
    /// The paths of results to draw over the map.
    package var results: [String] = []
    /// The least x and y, then the greatest; empty for the extent of all layers.
    package var extent: [Double] = []
    /// x and y; empty if the request has an extent.
    package var center: [Double] = []
    package var scale: Double?
    package var size: Size?
    package var crs: String?
    package var isPlain = false
    package var output: String?
    package var overwrites = false

    package init() {}
  }

  /// The width and height of a picture in pixels.
  package struct Size: Sendable, Equatable {
    package var width = 1200
    package var height = 800

    package init() {}

    /// Parses `1200x800`; nil for other text and for sides that are too long.
    package init?(text: String) {
      let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      let sides = parts.compactMap { Int($0) }
      guard parts.count == 2, sides.count == 2,
        sides.allSatisfy({ (1...Canvas.longestSide).contains($0) })
      else { return nil }
      (width, height) = (sides[0], sides[1])
    }
  }
}
