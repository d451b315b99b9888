import PlumbCore

/// Bands of a raster file that are read together, and the columns for their values.
struct BandColumns: Sendable {
  /// The bands, one for each of `columns`.
  let bands: [Int]
  /// The columns for the values, each in the pixel type that the band has in the file.
  let columns: [ValueColumn]
  /// The places of all bands, if they are stored together and only their values determine which cells are valid;
  /// otherwise nil. They are prepared once for many tiles, because counting references to a thousand columns takes
  /// longer than reading a cell of each.
  let places: [Place]?

  /// The place of a band in a tile, and the memory of its column.
  struct Place: Sendable {
    /// The type and the rule of validity of the band.
    let rule: BandRule
    /// The number of bytes from the start of a cell to the band's value.
    let offset: Int
    let values: SharedPointer<UnsafeMutableRawPointer>
    let status: SharedPointer<UnsafeMutablePointer<UInt8>>
  }

  init(_ bands: [Int], _ columns: [ValueColumn], of profile: RasterProfile) {
    (self.bands, self.columns) = (bands, columns)
    guard profile.isInterleaved else {
      places = nil
      return
    }
    var places: [Place] = []
    places.reserveCapacity(bands.count)
    for (band, column) in zip(bands, columns) {
      let rule = profile.bands[band].rule
      switch rule.validity {
      case .all, .noData: break
      case .alpha, .mask:
        self.places = nil
        return
      }
      places.append(
        Place(
          rule: rule, offset: profile.bandOffset(band), values: SharedPointer(column.bytes),
          status: SharedPointer(column.status.base)))
    }
    self.places = places
  }

  /// Sets the status of all entries in all columns to `readError`.
  func fail(_ entries: UnsafeBufferPointer<PlanEntry>) {
    for column in columns {
      for entry in entries {
        column.status.base[Int(entry.index)] = SampleStatus.readError.rawValue
      }
    }
  }
}
