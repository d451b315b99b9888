import Plumb
import PlumbGDAL
import PlumbTestSupport

extension UnusualRaster {
  private static func placed(
    _ description: String, _ coefficients: [Double], reference: String? = "EPSG:32734",
    options: [(String, String)] = [], isPoint: Bool = false, driver: String = "GTiff",
    type: PixelType = .uint16
  ) -> UnusualRaster {
    UnusualRaster(
      description: description, type: type, options: options, driver: driver,
      describe: { writer in
        if isPoint { try writer.setMetadata("AREA_OR_POINT", "Point") }
        try writer.setGeotransform(coefficients)
        if let reference { try writer.setReference(reference) }
      })
  }

  private static let north: [Double] = [261_000, 30, 0, 6_250_000, 0, -30]

  /// Grids with unusual placements.
  static let placements: [UnusualRaster] = [
    placed("PixelIsPoint", north, isPoint: true),
    placed(
      "PixelIsPoint, 1/3600°", [18, 1.0 / 3600, 0, -34, 0, -1.0 / 3600],
      reference: "EPSG:4326", isPoint: true),
    placed("south-up", [261_000, 30, 0, 6_250_000, 0, 30]),
    placed("west-left", [261_000, -30, 0, 6_250_000, 0, -30]),
    placed("turned by 30°", turned(30, 30, 30)),
    placed("turned by 90°", [261_000, 0, 30, 6_250_000, 30, 0]),
    placed("turned by 270°", [261_000, 0, -30, 6_250_000, -20, 0]),
    placed("turned by 200° with oblong cells", turned(200, 0.25, 12)),
    placed("sheared", [261_000, 30, 7, 6_250_000, 0, -30]),
    placed("sheared the other way", [261_000, 30, 0, 6_250_000, 4, -30]),
    placed("turned and PixelIsPoint", turned(77, 10, 10), isPoint: true),
    placed(
      "sinusoidal", [1_708_600, 231.65635826395825, 0, -3_750_000, 0, -231.65635826395825],
      reference: "+proj=sinu +R=6371007.181 +units=m"),
    placed("no reference", north, reference: nil),
    placed("world file", north, options: [("PROFILE", "BASELINE"), ("TFW", "YES")]),
    placed(
      "turned, world file", turned(12, 5, 5),
      options: [("PROFILE", "BASELINE"), ("TFW", "YES")]),
    placed("placed by PAM", north, options: [("PROFILE", "BASELINE")]),
    placed("ENVI", north, driver: "ENVI", type: .int16),
    placed(
      "ENVI by pixel", north, options: [("INTERLEAVE", "BIP")], driver: "ENVI",
      type: .float64),
    placed("Erdas Imagine", north, options: [("COMPRESS", "YES")], driver: "HFA", type: .uint8),
    placed("PCIDSK", north, driver: "PCIDSK", type: .float32),
    UnusualRaster(description: "not placed at all", type: .uint8),
    UnusualRaster(
      description: "control points", type: .uint8,
      describe: { writer in
        try writer.setControlPoints(controlPoints(bend: 0), reference: "EPSG:32734")
      }),
    UnusualRaster(
      description: "control points of a bent sheet", type: .int16, options: tiled,
      describe: { writer in
        try writer.setControlPoints(controlPoints(bend: 40), reference: "EPSG:32734")
      }),
    UnusualRaster(
      description: "rational polynomials", type: .uint16,
      describe: { writer in
        for (key, value) in polynomials { try writer.setMetadata(key, value, domain: "RPC") }
      }),
  ].map { raster in
    var raster = raster
    if raster.type.isFloatingPoint { raster.style = .tame }
    // With control points and polynomials, there is no edge and therefore no outside.
    if raster.description.contains("points") || raster.description.contains("poly") {
      raster.statuses = [.ok]
    }
    return raster
  }

  private static func turned(_ degrees: Double, _ width: Double, _ height: Double) -> [Double] {
    // Sine and cosine from a series, without a maths library.
    let angle = degrees * Double.pi / 180
    var (sine, cosine, term) = (0.0, 0.0, 1.0)
    for n in 0..<40 {
      switch n % 4 {
      case 0: cosine += term
      case 1: sine += term
      case 2: cosine -= term
      default: sine -= term
      }
      term *= angle / Double(n + 1)
    }
    return [
      261_000, width * cosine, height * sine, 6_250_000, width * sine, -height * cosine,
    ]
  }

  private static func controlPoints(bend: Double) -> [RasterWriter.ControlPoint] {
    (0..<5).flatMap { i in
      (0..<5).map { j in
        let (column, row) = (Double(i) * 17.5, Double(j) * 12.5)
        let (u, v) = (column / 70 - 0.5, row / 50 - 0.5)
        return RasterWriter.ControlPoint(
          column: column, row: row, x: 261_000 + column * 30 + bend * v * v,
          y: 6_250_000 - row * 30 + bend * u * v)
      }
    }
  }

  /// A simple camera: longitude and latitude are linear in rows and columns.
  private static let polynomials: [(String, String)] = {
    func terms(_ first: [Int: Double]) -> String {
      (0..<20).map { String(first[$0] ?? 0) }.joined(separator: " ")
    }
    return [
      ("LINE_OFF", "25"), ("SAMP_OFF", "35"), ("LAT_OFF", "-34"), ("LONG_OFF", "18.5"),
      ("HEIGHT_OFF", "0"), ("LINE_SCALE", "25"), ("SAMP_SCALE", "35"), ("LAT_SCALE", "0.1"),
      ("LONG_SCALE", "0.1"), ("HEIGHT_SCALE", "500"),
      ("LINE_NUM_COEFF", terms([1: 0.05, 2: -1])), ("LINE_DEN_COEFF", terms([0: 1])),
      ("SAMP_NUM_COEFF", terms([1: 1, 2: 0.02])), ("SAMP_DEN_COEFF", terms([0: 1, 1: 0.01])),
    ]
  }()
}
