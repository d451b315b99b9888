import Plumb
import PlumbCore

/// The verb `draw`: draws a map as a picture.
package enum Draw {
  /// The options of a draw request.
  package struct Request: Sendable, Equatable {
    /// The path of a map document, a raster or a file of features.
    package var map: String?
    /// The patterns or tables with the dates of the raster's files.
    package var dates: [String] = []
    package var grouping: DatedStack.Grouping?
    /// The date of layers with dates.
    package var date: String?
    /// The paths of results to draw over the map.
    package var results: [String] = []
    /// The minimum x and y, then the maximum x and y; empty for the extent of all layers.
    package var extent: [Double] = []
    /// The centre as x and y, instead of an extent; empty if not given.
    package var center: [Double] = []
    package var scale: Double?
    package var size: PictureSize?
    package var crs: String?
    package var isPlain = false
    package var output: String?
    package var overwrites = false

    package init() {}
  }
}
