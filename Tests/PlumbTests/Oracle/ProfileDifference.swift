import PlumbCore
import PlumbRaster

extension RasterProfile {
  /// Describes the differences from another reader's profile of the same file.
  ///
  /// The tiles are not compared, because they depend on the reader.
  func differences(from other: RasterProfile) -> [String] {
    var list: [String] = []
    func compare<Value: Equatable>(_ what: String, _ a: Value, _ b: Value) {
      if a != b { list.append("\(what): \(a), not \(b)") }
    }
    compare("width", grid.width, other.grid.width)
    compare("height", grid.height, other.grid.height)
    compare("mapping", mapping, other.mapping)
    compare("reference", reference, other.reference)
    compare("period", longitudePeriod, other.longitudePeriod)
    compare("bands", bands.count, other.bands.count)
    for (number, (a, b)) in zip(bands, other.bands).enumerated() {
      let band = "band \(number + 1)"
      compare("\(band) type", a.pixelType, b.pixelType)
      // NaN is not equal to itself.
      compare("\(band) validity", "\(a.validity)", "\(b.validity)")
      compare("\(band) scale", a.scale, b.scale)
      compare("\(band) offset", a.offset, b.offset)
      compare("\(band) unit", a.unit, b.unit)
      compare("\(band) name", a.name, b.name)
      compare("\(band) colour", a.colorInterpretation, b.colorInterpretation)
      compare(
        "\(band) classes", a.classes?.entries.map { "\($0)" }, b.classes?.entries.map { "\($0)" })
    }
    return list
  }
}
