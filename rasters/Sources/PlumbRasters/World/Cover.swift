/// A class of land cover; the raw value is the value of its cells.
enum Cover: UInt8, CaseIterable {
  case water = 1
  case urban, fynbos, vineyard, cropland, forest, wetland, strandveld, karoo, bare

  var name: String {
    switch self {
    case .water: "Water"
    case .urban: "Urban"
    case .fynbos: "Fynbos"
    case .vineyard: "Vineyard and orchard"
    case .cropland: "Cropland"
    case .forest: "Forest and plantation"
    case .wetland: "Wetland"
    case .strandveld: "Strandveld"
    case .karoo: "Karoo shrub"
    case .bare: "Bare rock and sand"
    }
  }

  /// Red, green and blue, 0 to 255.
  var color: (red: UInt8, green: UInt8, blue: UInt8) {
    switch self {
    case .water: (70, 120, 170)
    case .urban: (200, 90, 80)
    case .fynbos: (150, 165, 95)
    case .vineyard: (140, 70, 130)
    case .cropland: (225, 205, 120)
    case .forest: (45, 105, 60)
    case .wetland: (110, 175, 170)
    case .strandveld: (190, 195, 140)
    case .karoo: (185, 155, 120)
    case .bare: (225, 220, 210)
    }
  }

  /// The enhanced vegetation index in August, when wheat is green and vines are bare.
  var greenness: Double {
    switch self {
    case .water: 0.01
    case .urban: 0.15
    case .fynbos: 0.27
    case .vineyard: 0.30
    case .cropland: 0.41
    case .forest: 0.42
    case .wetland: 0.36
    case .strandveld: 0.21
    case .karoo: 0.11
    case .bare: 0.07
    }
  }

  /// The difference between parcels of this cover, as half the width of the index's range.
  var variety: Double {
    switch self {
    case .cropland: 0.12
    case .vineyard: 0.10
    case .forest: 0.06
    case .urban: 0.04
    default: 0.01
    }
  }
}
