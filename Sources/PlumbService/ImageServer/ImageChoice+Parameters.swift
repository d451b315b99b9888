import Plumb
import PlumbIO

extension ImageChoice {
  /// Reads `time`, `mosaicRule`, `bandIds`, `interpolation` and `pixelSize`.
  init(_ parameters: Parameters, of service: ImageService) throws {
    try self.init(parameters, of: service, ImageTimes(parameters, of: service))
  }

  init(_ parameters: Parameters, of service: ImageService, _ times: ImageTimes) throws {
    times.apply(to: &self)
    let raster = try service.raster(at: date)
    members = try MosaicRule.members(parameters, of: raster.members.count)
    bands = try Self.bands(parameters, of: raster)
    resampling = try Self.resampling(parameters)
    power = try Self.power(parameters, of: service)
  }

  /// Returns band indices from 0; nil for all bands.
  static func bands(_ parameters: Parameters, of raster: Raster) throws(ServiceError) -> [Int]? {
    guard let numbers = try parameters.integers("bandIds"), !numbers.isEmpty else { return nil }
    guard numbers.count <= 1000 else {
      throw ServiceError("'bandIds' parameter is invalid: too many")
    }
    var bands: [Int] = []
    for number in numbers {
      guard let band = Int(exactly: number), raster.bands.indices.contains(band) else {
        throw ServiceError(
          "'bandIds' parameter is invalid: band \(number) does not exist; "
            + (raster.bands.count == 1
              ? "the only band is 0" : "bands are numbered 0 to \(raster.bands.count - 1)"))
      }
      bands.append(band)
    }
    return bands
  }

  static func resampling(_ parameters: Parameters) throws(ServiceError) -> Resampling {
    guard let word = parameters.word("interpolation") else { return .nearest }
    switch word.lowercased() {
    case "rsp_nearestneighbor": return .nearest
    case "rsp_bilinearinterpolation": return .bilinear
    case "rsp_cubicconvolution": return .cubic
    default:
      throw ServiceError(
        "'interpolation' parameter is not supported: \(word.shown); write RSP_NearestNeighbor, "
          + "RSP_BilinearInterpolation or RSP_CubicConvolution")
    }
  }

  /// Reads the maximum cell size and returns it as a power of two of the raster's cell width. The
  /// parameter is `x,y` in the service's units or an object with a CRS.
  private static func power(
    _ parameters: Parameters, of service: ImageService
  ) throws -> Int {
    guard let text = parameters.word("pixelSize") else { return 0 }
    let serviceReference = try service.reference()
    var (side, reference) = (Double.nan, serviceReference)
    if text.hasPrefix("{") {
      let tree = try parameters.json("pixelSize")
      let (x, y) = (tree?.member("x")?.number, tree?.member("y")?.number)
      side = [x, y].compactMap { $0 }.min() ?? .nan
      if let referenceMember = tree?.member("spatialReference") {
        reference = try GeometryText.reference(
          String(decoding: referenceMember.bytes, as: UTF8.self), "pixelSize")
      }
    } else if let numbers = Parameters.numbers(text), (1...2).contains(numbers.count) {
      side = numbers.min() ?? .nan
    }
    guard side > 0, side.isFinite else {
      throw ServiceError("'pixelSize' parameter is invalid: expected a width and a height above 0")
    }
    let cell = try service.cellSize()
    let width = max(cell.x, cell.y) * serviceReference.metresPerUnit
    // The factor 1.001 accepts a ratio slightly below a power of two.
    let factor = side * reference.metresPerUnit / width * 1.001
    guard width > 0, factor >= 2 else { return 0 }
    return min(29, Int(factor.binade.exponent))
  }
}

extension Parameters {
  /// Reads the `geometry` parameter of a request to an image service, with its CRS. The CRS is the
  /// geometry's own, the CRS in `sr`, or the CRS of the service.
  ///
  /// - Parameter pointLimit: the maximum number of points of a multipoint.
  func geometry(
    for service: ImageService, pointLimit: Int = ServiceLimits.vertices
  ) throws -> (geometry: Geometry, reference: SpatialReference) {
    let reference = try reference("sr") ?? service.reference()
    guard let geometry = try geometry("geometry", reference: reference, pointLimit: pointLimit)
    else {
      throw ServiceError("'geometry' parameter is not specified.")
    }
    return (geometry, geometry.spatialReference ?? reference)
  }
}
