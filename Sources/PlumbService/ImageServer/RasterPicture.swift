import Plumb

/// What a picture takes of a raster.
enum RasterPicture {
  /// The bands that it is drawn from, as red, green and blue or as one.
  static func bands(of raster: Raster, _ renderer: RasterRenderer?) -> [Int] {
    guard raster.bands.count >= 3 else { return [0] }
    switch renderer {
    case .stretch: return [0, 1, 2]
    case nil:
      let isColored = zip(raster.bands, ["Red", "Green", "Blue"]).allSatisfy {
        $0.colorInterpretation == $1
      }
      return isColored ? [0, 1, 2] : [0]
    case .values, .classes, .shadedRelief: return [0]
    }
  }
}
